/** The kit as a library, for use in your own tests: the functions that the command line is built from. */
export { type Carrier, type CarrierEvents, type Dial, dialCommand, dialHttp } from './adapter/carriers.ts';
export { type Answer, type Hello, PROTOCOL, type Request } from './adapter/messages.ts';
export { createSession, type Session } from './adapter/session.ts';
export type { CaseResult, Outcome, Problem, RunReport } from './report/results.ts';
export { decodeTagged, differences, sameJson } from './suite/json-value.ts';
export { loadSuite, type Suite, type Vector } from './suite/suite.ts';
export { runVector } from './vectors/run-vectors.ts';

import { performance } from 'node:perf_hooks';
import type { Answer, Hello } from '../adapter/messages.ts';
import { type Adapter, describe, type Session } from '../adapter/session.ts';
import type { CaseHead, CaseResult, Problem } from '../report/results.ts';
import { differences, expandLists, isObject, type JsonObject } from '../suite/json-value.ts';
import { measureSlowdown } from '../suite/slowdown.ts';
import type { Vector, VectorCall } from '../suite/suite.ts';
import { outlineFlag } from './outline-flag.ts';

/** How a vector appears in a report. */
export const vectorHead = (vector: Vector): CaseHead => ({
  id: vector.id,
  group: `vectors/${vector.category}`,
  title: vector.why ?? vector.id,
  requirements: vector.requirements,
  level: vector.level,
});

/** Runs one vector: loads its ruleset, then evaluates all its calls. `slack` multiplies time limits. */
export const runVector = async (
  { session, hello }: Adapter,
  vector: Vector,
  options: { readonly slack: number },
): Promise<CaseResult> => {
  const started = performance.now();
  const head = vectorHead(vector);
  const done = (rest: Pick<CaseResult, 'outcome'> & Partial<CaseResult>): CaseResult => {
    const log = session.takeLog();
    const bad = rest.outcome !== 'pass' && log !== '';
    return { ...head, problems: [], ms: performance.now() - started, ...(bad && { log }), ...rest };
  };
  const gap = missing(hello, vector);
  if (gap !== undefined) return done({ outcome: 'skip', reason: gap });
  const loaded = await session.ask({ cmd: 'load', ruleset: expandLists(vector.ruleset) });
  if (loaded.kind !== 'ok') return done(withoutResult(loaded, 'load'));
  const refused = isObject(loaded.value) && loaded.value['refused'] === true;
  if (refused && !mayRefuse(vector.ruleset)) {
    return done({ outcome: 'fail', problems: [{ where: 'load', message: 'a valid ruleset was refused' }] });
  }
  const problems: Problem[] = [];
  for (const [at, answered] of (await askAll(session, vector.calls)).entries()) {
    const { answer, call } = answered;
    if (answer.kind === 'skipped' || answer.kind === 'crash')
      return done(withoutResult(answer, `call ${at + 1}`));
    const expect = refused ? NOT_FOUND : call.expect;
    const problem = problemOf({ ...answered, call: { ...call, expect } }, options.slack);
    if (problem)
      problems.push({
        where: `call ${at + 1}`,
        flag: outlineFlag(vector.ruleset, call.flag),
        given: { flag: call.flag, context: call.context },
        ...problem,
      });
  }
  return done({ outcome: problems.length ? 'fail' : 'pass', problems });
};

/** The result of every call when the only ruleset was refused. */
const NOT_FOUND: JsonObject = { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };

/**
 * A client may refuse a ruleset whose outer structure is broken instead of serving the rest of it (decisions/0002). It
 * must not refuse any other ruleset.
 */
const mayRefuse = (ruleset: unknown): boolean =>
  !isObject(ruleset) ||
  !Array.isArray(ruleset['flags']) ||
  !Array.isArray(ruleset['segments'] ?? []) ||
  !Number.isFinite(ruleset['version']) ||
  typeof ruleset['environment_id'] !== 'string';

/** What the adapter lacks for this vector; undefined if nothing. */
const missing = (hello: Hello, vector: Vector): string | undefined => {
  if (!hello.capabilities.includes('evaluate')) return 'the adapter does not evaluate';
  const revision = vector.bucketing ?? 1;
  if (!hello.bucketing.includes(revision)) return `the adapter does not know bucketing revision ${revision}`;
  return undefined;
};

/** The outcome when an answer is not `ok`. */
const withoutResult = (answer: Answer, where: string): Pick<CaseResult, 'outcome'> & Partial<CaseResult> => {
  if (answer.kind === 'skipped') return { outcome: 'skip', reason: answer.reason };
  if (answer.kind === 'crash') return { outcome: 'crash', reason: `${where}: ${answer.message}` };
  return { outcome: 'fail', problems: [{ where, message: describe(answer) }] };
};

/** A call and its answer. */
interface AnsweredCall {
  readonly call: VectorCall;
  readonly answer: Answer;
  /** Duration of a single request; undefined in a batch. */
  readonly ms?: number;
}

/** Sends all calls in one message; one by one if time limits apply or the adapter has no batch form. */
const askAll = async (session: Session, calls: readonly VectorCall[]): Promise<AnsweredCall[]> => {
  if (calls.length > 1 && calls.every(({ within_ms }) => within_ms === undefined)) {
    const answer = await session.ask({
      cmd: 'evaluate',
      calls: calls.map(({ flag, context }) => ({ flag, context })),
    });
    if (answer.kind === 'crash') return [{ call: calls[0]!, answer }];
    const results = answer.kind === 'ok' && (answer.value as { results?: unknown } | null)?.results;
    if (Array.isArray(results) && results.length === calls.length) {
      return calls.map((call, at) => ({ call, answer: { kind: 'ok', value: results[at] } }));
    }
  }
  const answered: AnsweredCall[] = [];
  for (const call of calls) {
    const started = performance.now();
    const answer = await session.ask({ cmd: 'evaluate', flag: call.flag, context: call.context });
    answered.push({ call, answer, ms: performance.now() - started });
    if (answer.kind === 'crash') break;
  }
  return answered;
};

const problemOf = (
  { call: { expect, within_ms }, answer, ms }: AnsweredCall,
  slack: number,
): Omit<Problem, 'where'> | undefined => {
  if (answer.kind !== 'ok') return { message: describe(answer), expected: expect };
  const wrong = differences(expect, answer.value);
  if (wrong.length) {
    return {
      message: `wrong: ${wrong.join(', ')}`,
      expected: expect,
      actual: inOrderOf(expect, answer.value),
    };
  }
  const limit = within_ms === undefined ? Number.POSITIVE_INFINITY : within_ms * slack;
  if (ms !== undefined && ms > limit && ms > limit * measureSlowdown()) {
    return {
      message: `took ${ms.toFixed(0)} ms; ${within_ms} ms are allowed, and ${slack} times that on a slow machine`,
    };
  }
  return undefined;
};

/** The actual fields in the order of the expected ones, so that people can compare them. */
const inOrderOf = (expected: object, actual: unknown): unknown => {
  if (!isObject(actual)) return actual;
  const known = Object.keys(expected).filter((name) => Object.hasOwn(actual, name));
  return { ...Object.fromEntries(known.map((name) => [name, actual[name]])), ...actual };
};

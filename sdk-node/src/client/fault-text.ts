import type { Fault, FaultCode } from '@flagsvc/sdk-core/client';

/** What a fault means and what to do about it. */
const TEXTS: Readonly<Record<FaultCode, string>> = {
  UNAUTHORIZED: 'the server refuses the API key; check that it is whole, not revoked, and of this server',
  HTTP_STATUS: 'the server gave an unexpected answer; the last good ruleset stays',
  NETWORK: 'the server cannot be reached; check baseUrl and the network, the last good ruleset stays',
  TIMEOUT: 'the server did not answer in time; the last good ruleset stays',
  TOO_LARGE: 'the ruleset is larger than maxBodyBytes; the last good one stays',
  NOT_DECODABLE: 'the answer cannot be decoded; does baseUrl lead to the API, with its /api/v1?',
  BAD_RULESET: 'the answer is not a ruleset; the last good one stays',
  BROKEN_FLAG: 'a flag or segment is broken and was left out',
  TYPE_MISMATCH: 'a flag has another type than the default value, which is served instead',
  EVALUATION_FAILED: 'the context cannot be read; the default value is served',
  EVENTS_DROPPED: 'events are dropped: the server refuses them, or they are too many, too long or of no user',
  CACHE: 'the ruleset on disk cannot be read or written',
  SHARING: 'clients cannot share a poller here; this one fetches for itself',
  SERVER_KEY: 'a key that shows every flag is used in a page',
  NO_DOCUMENT: 'a client of a page was created where there is no page',
  LISTENER: 'a listener threw',
};

const NOT_THERE = 'there is no API at this address; does baseUrl end in /api/v1?';

/** One line for people. */
export const textOf = ({ code, detail }: Fault): string =>
  `flagsvc: ${code === 'HTTP_STATUS' && detail === '404' ? NOT_THERE : TEXTS[code]} [${code}${detail && `: ${detail}`}]`;

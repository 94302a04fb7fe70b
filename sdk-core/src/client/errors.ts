/**
 * What can go wrong inside a client. A published code is never reused.
 *
 * | code | meaning | detail |
 * |---|---|---|
 * | `UNAUTHORIZED` | the server refuses the key; retried ever more slowly | status |
 * | `HTTP_STATUS` | an unexpected status, for example a redirect, or a 304 without `If-None-Match`; at 404, check whether `baseUrl` ends in `/api/v1` | status |
 * | `NETWORK` | no answer: refused, reset, cut off, no such host | the system's code, if any |
 * | `TIMEOUT` | no complete answer within `requestTimeoutMs` | |
 * | `TOO_LARGE` | the body is longer than `maxBodyBytes` | |
 * | `NOT_DECODABLE` | the body is neither JSON nor another requested format | |
 * | `BAD_RULESET` | the payload is not a ruleset, or all of its flags are broken; the last good one stays | `saved` for a bootstrap or a cache, else the status |
 * | `BROKEN_FLAG` | one flag or segment was left out of the ruleset | where, and a code |
 * | `TYPE_MISMATCH` | a flag's value and the default value differ in type; reported once per flag | flag key |
 * | `EVALUATION_FAILED` | the context could not be read, for example because a getter threw | |
 * | `EVENTS_DROPPED` | events were dropped; `stats().drops` counts them by cause | `full`, `invalid`, or the status, if they were refused |
 * | `CACHE` | the cache could not be read or written | message |
 * | `SHARING` | clients cannot share a poller here; this one polls on its own | why |
 * | `SERVER_KEY` | a page uses a key that sees every flag | the remedy |
 * | `NO_DOCUMENT` | a page client was created without a document and without a bootstrap; it is closed | the remedy |
 * | `LISTENER` | a listener threw; errors of listeners to `error` are not reported | message |
 */
export type FaultCode =
  | 'UNAUTHORIZED'
  | 'HTTP_STATUS'
  | 'NETWORK'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'NOT_DECODABLE'
  | 'BAD_RULESET'
  | 'BROKEN_FLAG'
  | 'TYPE_MISMATCH'
  | 'EVALUATION_FAILED'
  | 'EVENTS_DROPPED'
  | 'CACHE'
  | 'SHARING'
  | 'SERVER_KEY'
  | 'NO_DOCUMENT'
  | 'LISTENER';

/** Something that went wrong without stopping the client. Never quotes the key or a user. */
export interface Fault {
  readonly code: FaultCode;
  /** See the table of codes; may be empty. */
  readonly detail: string;
}

/** Reports a fault. `detail` may be any thrown value; its text is reported. */
export type Report = (code: FaultCode, detail: unknown) => void;

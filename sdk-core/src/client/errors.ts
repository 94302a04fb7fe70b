/**
 * What can go wrong inside a client. A published code is never reused.
 *
 * | code | meaning | detail |
 * |---|---|---|
 * | `UNAUTHORIZED` | the server refuses the key; asked again, ever more slowly | status |
 * | `HTTP_STATUS` | another answer that is no success, a redirect or an unasked 304 among them; at 404, see whether `baseUrl` ends in `/api/v1` | status |
 * | `NETWORK` | no answer: refused, reset, cut, no such host | the system's code, if any |
 * | `TIMEOUT` | no whole answer within `requestTimeoutMs` | |
 * | `TOO_LARGE` | the body is longer than `maxBodyBytes` | |
 * | `NOT_DECODABLE` | the body is not JSON, nor another format that was asked for | |
 * | `BAD_RULESET` | not a ruleset, or none of its flags is whole; the one before stays | `saved` for a bootstrap or what a cache kept, else the status |
 * | `BROKEN_FLAG` | one flag or segment was left out of the ruleset | where, and a code |
 * | `TYPE_MISMATCH` | a flag's value has another type than the default value; told once per flag | flag key |
 * | `EVALUATION_FAILED` | the context could not be read, for instance because a getter of it threw | flag key |
 * | `EVENTS_DROPPED` | events were given up: the server refused them, or there was no room, or one was too long, no JSON or of no user; `stats()` counts them | status, if they were refused |
 * | `CACHE` | the cache could not be read or written | message |
 * | `SHARING` | clients cannot share a poller here; this one fetches for itself | why |
 * | `SERVER_KEY` | a key that shows every flag is used in a page | the remedy |
 * | `NO_DOCUMENT` | a client of a page was created where there is none, and without a bootstrap; it is closed | the remedy |
 * | `LISTENER` | a listener of yours threw; one of `error` that throws is not told | message |
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

/** Something that went wrong without stopping the client. Never holds the key or a user. */
export interface Fault {
  readonly code: FaultCode;
  /** What the code is about; may be empty. */
  readonly detail: string;
}

/** Tells of a fault. */
export type Report = (code: FaultCode, detail: unknown) => void;

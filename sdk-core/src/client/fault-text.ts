import type { Fault, FaultCode } from './errors.ts';

/** What each fault means, and what to do about it. */
const TEXTS: Readonly<Record<FaultCode, string>> = {
  UNAUTHORIZED:
    'the server refuses the API key; check that it is complete, not revoked, and from this server',
  HTTP_STATUS: 'the server answered with an unexpected status; the last good ruleset stays',
  NETWORK: 'the server cannot be reached; check baseUrl and the network; the last good ruleset stays',
  TIMEOUT: 'the server did not answer in time; the last good ruleset stays',
  TOO_LARGE: 'the ruleset is larger than maxBodyBytes; the last good one stays',
  NOT_DECODABLE:
    'the answer cannot be decoded; check that baseUrl is the address of the API, including /api/v1',
  BAD_RULESET: 'the answer is not a ruleset; the last good one stays',
  BROKEN_FLAG: 'a flag or segment is broken and was left out',
  TYPE_MISMATCH: "a flag's type differs from the default value's; the default value is served",
  EVALUATION_FAILED: 'the context cannot be read; the default value is served',
  EVENTS_DROPPED: 'events were dropped: refused by the server, too many, too long, or without a user key',
  CACHE: 'the ruleset on disk cannot be read or written',
  SHARING: 'clients cannot share a poller here; this one polls on its own',
  SERVER_KEY: 'this page uses a key that can read every flag; create a key of kind client',
  NO_DOCUMENT: 'there is neither a document nor a bootstrap; use createPageClient, or pass a bootstrap',
  LISTENER: 'a listener threw',
};

const NO_API = 'there is no API at this address; check that baseUrl ends in /api/v1';

/** A log line for a fault, in words. Clients that count bytes log the code alone. */
export const faultText = ({ code, detail }: Fault): string =>
  `flagsvc: ${code === 'HTTP_STATUS' && detail === '404' ? NO_API : TEXTS[code]} [${code}${detail && `: ${detail}`}]`;

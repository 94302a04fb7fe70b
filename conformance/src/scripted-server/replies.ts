import { gzipSync } from 'node:zlib';
import { isObject } from '../suite/json-value.ts';

/**
 * The endpoints of the scripted server. `elsewhere` stands for every other path, and for the other host, to which
 * redirects lead.
 */
const ENDPOINTS = ['ruleset', 'events', 'stream', 'evaluate', 'elsewhere'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/**
 * Faults of a reply.
 *
 * | fault | what the client gets |
 * |---|---|
 * | `reset` | a connection reset instead of an answer |
 * | `reset-headers`, `reset-body` | a connection reset inside the headers, or the body |
 * | `close` | the end of the connection instead of an answer |
 * | `stall` | nothing |
 * | `stall-headers`, `stall-body` | part of the headers, or of the body, then nothing |
 * | `drip` | `bytes` of the body every `everyMs` |
 * | `cut` | a body that ends before its Content-Length |
 * | `cut-chunked` | a body that ends before its last chunk |
 * | `short-length` | a Content-Length of half the body |
 * | `bad-gzip`, `cut-gzip` | Content-Encoding gzip with other bytes, or with half of them |
 * | `gzip-bomb` | 100 kB that decompress to 100 MB |
 * | `huge` | the body after `bytes` (default 50 MB) of blanks |
 * | `flip` | a body with one wrong bit |
 * | `not-http` | bytes that are not HTTP |
 * | `redirect` | 302 to another host |
 * | `split` | a correct reply with one chunk per byte, also inside characters |
 * | `gzip` | a correct reply with a compressed body |
 * | `close-after` | a correct reply, then the end of the connection |
 */
export const FAULTS = [
  'reset',
  'reset-headers',
  'reset-body',
  'close',
  'stall',
  'stall-headers',
  'stall-body',
  'drip',
  'cut',
  'cut-chunked',
  'short-length',
  'bad-gzip',
  'cut-gzip',
  'gzip-bomb',
  'huge',
  'flip',
  'not-http',
  'redirect',
  'split',
  'gzip',
  'close-after',
] as const;
export type Fault = (typeof FAULTS)[number];

/** One entry of an endpoint's queue. */
export interface Reply {
  /** Default 200. */
  readonly status?: number;
  /** The entity tag, including its quotes. */
  readonly etag?: string;
  /** If true, a request whose `If-None-Match` is this tag is answered with 304. */
  readonly conditional?: boolean;
  /** Additional headers. `{"$date": ms}` is the HTTP date this long from now, `{"$unix": ms}` the Unix time. */
  readonly headers?: Readonly<Record<string, string | number | { $date?: number; $unix?: number }>>;
  /** `{"flags": {"f": "v1"}}` is short for a ruleset; anything else is sent as JSON. */
  readonly body?: unknown;
  /** The exact body, instead of `body`. */
  readonly text?: string;
  /** If true, each character of the text is sent as one byte, so the body need not be valid UTF-8. */
  readonly latin1?: boolean;
  readonly fault?: Fault;
  /** For `drip` and `huge`. */
  readonly bytes?: number;
  /** For `drip`. */
  readonly everyMs?: number;
  /** Delay of the answer. */
  readonly delayMs?: number;
}

/** The short form of a ruleset: flags that serve one value to every user. */
export interface ShortRuleset {
  readonly version?: number;
  /** By flag key, the value that the flag serves. */
  readonly flags: Readonly<Record<string, string>>;
  /** Number of additional flags `flag-1`, `flag-2` and so on, which serve "many". */
  readonly many?: number;
  /** Fields to add to every flag. */
  readonly each?: object;
  /** Fields to add to the ruleset. */
  readonly more?: object;
}

const isShort = (body: unknown): body is ShortRuleset => isObject(body) && isObject(body['flags']);

/** Expands the short form. */
const toRuleset = ({ version = 1, flags, many = 0, each, more }: ShortRuleset): object => ({
  version,
  environment_id: 'env_1',
  flags: [
    ...Object.entries(flags),
    ...Array.from({ length: many }, (_, at): [string, string] => [`flag-${at + 1}`, 'many']),
  ].map(([key, value]) => ({
    key,
    flag_type: 'string',
    enabled: true,
    variations: [
      { key: 'served', value },
      { key: 'other', value: `not ${value}` },
    ],
    default_variation: 'served',
    targeting_rules: [],
    ...each,
  })),
  segments: [],
  fetched_at: '2026-01-01T00:00:00.000Z',
  ...more,
});

/** The bytes of a reply's body before its fault is applied. */
export const toBody = ({ status = 200, body, text, latin1, etag }: Reply): Buffer => {
  if (text !== undefined) return Buffer.from(text, latin1 ? 'latin1' : 'utf8');
  if (isShort(body)) return Buffer.from(JSON.stringify({ data: toRuleset(body) }));
  if (body !== undefined) return Buffer.from(JSON.stringify(body));
  if (status >= 400) {
    const error = { code: 'SCRIPTED', message: `The script answers ${status}.`, details: {} };
    return Buffer.from(JSON.stringify({ error }));
  }
  return Buffer.from(status === 204 || status === 304 || etag !== undefined ? '' : '{"data":{}}');
};

let cachedBomb: Buffer | undefined;
/**
 * Compressed once, before the first request, because on a busy machine this takes longer than a client's time limit.
 */
const gzipBomb = (): Buffer => {
  cachedBomb ??= gzipSync(Buffer.alloc(100_000_000, ' '));
  return cachedBomb;
};

/** Prepares a reply when it is queued, so that no client waits for slow work. */
export const prepare = ({ fault }: Reply): void => {
  if (fault === 'gzip-bomb') gzipBomb();
};

/** Applies a fault to a body; returns the new body and its headers. */
export const applyFault = (
  body: Buffer,
  { fault, bytes = 50_000_000 }: Reply,
): { readonly body: Buffer; readonly headers: Record<string, string | number> } => {
  const gzip = { 'content-encoding': 'gzip' };
  switch (fault) {
    case 'gzip':
      return { body: gzipSync(body), headers: gzip };
    case 'bad-gzip':
      return { body: Buffer.from(`not gzip ${body}`), headers: gzip };
    case 'cut-gzip': {
      const compressed = gzipSync(body);
      return { body: compressed.subarray(0, compressed.length >> 1), headers: gzip };
    }
    case 'gzip-bomb':
      return { body: gzipBomb(), headers: gzip };
    case 'huge':
      return { body: Buffer.concat([Buffer.alloc(bytes, ' '), body]), headers: {} };
    case 'flip': {
      const flipped = Buffer.from(body);
      // Changes the first brace, so that the body is certainly not JSON.
      flipped[0] = flipped[0]! ^ 0x10;
      return { body: flipped, headers: {} };
    }
    default:
      return { body, headers: {} };
  }
};

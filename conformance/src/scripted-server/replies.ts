import { gzipSync } from 'node:zlib';
import { isObject } from '../suite/json-value.ts';

/** The endpoints that a scripted control plane plays. */
const ENDPOINTS = ['ruleset', 'events', 'stream', 'evaluate', 'elsewhere'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/**
 * What goes wrong with an answer.
 *
 * | fault | what the client meets |
 * |---|---|
 * | `reset` | the connection is reset before anything is answered |
 * | `reset-headers`, `reset-body` | … in the middle of the headers, of the body |
 * | `close` | the connection ends without an answer |
 * | `stall` | nothing, for ever |
 * | `stall-headers`, `stall-body` | a part, then nothing |
 * | `drip` | `bytes` of the body every `everyMs` |
 * | `cut` | the body ends before its Content-Length |
 * | `cut-chunked` | the body ends before its last chunk |
 * | `short-length` | Content-Length is half of what is sent |
 * | `bad-gzip`, `cut-gzip` | Content-Encoding says gzip, the bytes are not, or not all |
 * | `gzip-bomb` | a hundred megabytes in a hundred kilobytes |
 * | `huge` | the body, padded to `bytes` (50 MB) |
 * | `flip` | one bit of the body is wrong |
 * | `not-http` | bytes that are no answer at all |
 * | `redirect` | 302 to another host |
 * | `split` | nothing wrong: every byte is a chunk of its own, also inside a character |
 * | `gzip` | nothing wrong: the body is packed |
 * | `close-after` | nothing wrong: the connection ends after the answer |
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
  /** The entity tag, with its quotes. */
  readonly etag?: string;
  /** True: a request that has this tag already gets 304. */
  readonly conditional?: boolean;
  /** Further headers. `{"$date": ms}` is the HTTP date so long from now, `{"$unix": ms}` the Unix time. */
  readonly headers?: Readonly<Record<string, string | number | { $date?: number; $unix?: number }>>;
  /** `{"flags": {"f": "v1"}}` is short for a ruleset; anything else is sent as JSON. */
  readonly body?: unknown;
  /** The body, byte for byte, instead. */
  readonly text?: string;
  /** True: the text's characters are its bytes, which may be no UTF-8. */
  readonly latin1?: boolean;
  readonly fault?: Fault;
  /** Of `drip` and `huge`. */
  readonly bytes?: number;
  /** Of `drip`. */
  readonly everyMs?: number;
  /** The answer comes so much later. */
  readonly delayMs?: number;
}

/** The short form of a ruleset: flags that serve one value to everybody. */
export interface ShortRuleset {
  readonly version?: number;
  /** Flag key to the value that it serves to everybody. */
  readonly flags: Readonly<Record<string, string>>;
  /** So many more flags, `flag-1` and on, that serve "many". */
  readonly many?: number;
  /** Fields that are added to every flag. */
  readonly each?: object;
  /** Fields that are added to the ruleset. */
  readonly more?: object;
}

const isShort = (body: unknown): body is ShortRuleset => isObject(body) && isObject(body['flags']);

/** The full ruleset of a short one. */
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

/** The bytes of a reply's body, before its fault. */
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

let packedBomb: Buffer | undefined;
/** Packed once and before its first request: on a busy machine packing takes longer than a client's whole time limit. */
const gzipBomb = (): Buffer => {
  packedBomb ??= gzipSync(Buffer.alloc(100_000_000, ' '));
  return packedBomb;
};

/** Does what takes long about a reply when it is queued, so that the client does not wait for it. */
export const prepare = ({ fault }: Reply): void => {
  if (fault === 'gzip-bomb') gzipBomb();
};

/** A body as its fault makes it, with the headers that go with it. */
export const spoil = (
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
      const packed = gzipSync(body);
      return { body: packed.subarray(0, packed.length >> 1), headers: gzip };
    }
    case 'gzip-bomb':
      return { body: gzipBomb(), headers: gzip };
    case 'huge':
      return { body: Buffer.concat([Buffer.alloc(bytes, ' '), body]), headers: {} };
    case 'flip': {
      const flipped = Buffer.from(body);
      // The first brace becomes another character, so that the whole is certainly no JSON.
      flipped[0] = flipped[0]! ^ 0x10;
      return { body: flipped, headers: {} };
    }
    default:
      return { body, headers: {} };
  }
};

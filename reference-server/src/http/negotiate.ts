/** Serialization of a ruleset. */
export type BodyType = 'json' | 'msgpack';
/** Compression of a ruleset (`Content-Encoding`). */
export type BodyCoding = 'identity' | 'gzip' | 'br';

/** True when `If-None-Match` names the tag, by weak comparison (RFC 9110, 13.1.2), or is `*`. */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  const opaque = etag.slice(etag.indexOf('"'));
  for (const [, tag] of ifNoneMatch.matchAll(/(?:W\/)?("[^"]*")/g)) if (tag === opaque) return true;
  return false;
}

/** JSON, unless `Accept` names MessagePack with at least the weight of JSON. */
export const chooseType: (accept: string | undefined) => BodyType = memoized((accept) => {
  const weights = readWeights(accept);
  const msgpack = weights.get('application/msgpack') ?? 0;
  const json = weights.get('application/json') ?? 0;
  return msgpack > 0 && msgpack >= json ? 'msgpack' : 'json';
});

/** The best coding that `Accept-Encoding` allows; brotli before gzip at equal weight. */
export const chooseCoding: (acceptEncoding: string | undefined) => BodyCoding = memoized((acceptEncoding) => {
  const weights = readWeights(acceptEncoding);
  const rest = weights.get('*') ?? 0;
  const br = weights.get('br') ?? rest;
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? rest;
  if (br > 0 && br >= gzip) return 'br';
  return gzip > 0 ? 'gzip' : 'identity';
});

/** Whether `Accept-Encoding` allows gzip, for answers that come in gzip only. */
export const takesGzip: (acceptEncoding: string | undefined) => boolean = memoized((acceptEncoding) => {
  const weights = readWeights(acceptEncoding);
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
});

/** `a;q=0.5, b` as a map from lower-case name to weight. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name!, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

const MEMO_ENTRIES_MAX = 100;
const MEMO_LENGTH_MAX = 200;

/** Caches choices by header value: clients send the same few headers over and over. */
function memoized<T>(choose: (header: string) => T): (header: string | undefined) => T {
  const choices = new Map<string, T>();
  return (header = '') => {
    const known = choices.get(header);
    if (known !== undefined) return known;
    const choice = choose(header);
    if (choices.size < MEMO_ENTRIES_MAX && header.length <= MEMO_LENGTH_MAX) choices.set(header, choice);
    return choice;
  };
}

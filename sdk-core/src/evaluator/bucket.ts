/**
 * The bucket function ("Evaluation semantics", 4; EV-42 to EV-49, EV-129). It hashes Unicode code points, so that languages
 * whose strings are not UTF-16 get the same result.
 */

/** The initial value of a hash. */
export const HASH_START = 5381;

/** Continues the hash `start` with the code points of `text`. An unpaired surrogate counts as a code point. */
export const hashOn = (start: number, text: string): number => {
  // `| 0` tells engines that the hash is always a 32-bit integer; otherwise they check it in every step.
  let hash = start | 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    hash = (Math.imul(hash, 33) + code) | 0;
  }
  return hash;
};

/** The 32-bit hash of a text, 0 to 2^32-1. */
export const hash = (text: string): number => hashOn(HASH_START, text) >>> 0;

/** The bucket of a hash. Revision 2 first mixes the hash with MurmurHash3's finalizer (fmix32). */
const bucketOf = (hash: number, revision: unknown, bucketCount: number): number => {
  let mixed = hash;
  if (revision === 2) {
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return (mixed >>> 0) % bucketCount;
};

/**
 * The bucket of a user for a flag, 0 to 99. Revision 1, the default, is the specification's; its buckets are not
 * independent between flags. Revision 2 is uniform and independent.
 */
export const bucket = (flagKey: string, userKey: string, revision?: 1 | 2): number =>
  bucketOf(hashOn(HASH_START, `${flagKey}:${userKey}`), revision, 100);

/** The user key whose part of the hash is cached. The hash is affine, so all flags can share that part. */
let sharedUser = '';
let sharedHash = 0;
let sharedPower = 0;

/** Hashes a user key once for many flags. Buckets stay the same and are computed faster. */
export const shareHash = (user = ''): void => {
  sharedUser = user;
  sharedHash = hashOn(0, user);
  sharedPower = hashOn(1, user) - sharedHash;
};

/** How a rollout or a gate buckets units. */
export interface Bucketing {
  /** Hash of the flag's key or the salt, and a colon, with which the hashed text of every unit begins. */
  readonly prefix: number;
  /** The rule's revision of the bucket function; unchecked. Revision 3 mixes like revision 2. */
  readonly bucketing: unknown;
  readonly bucketCount: number;
}

/** The bucket of a user or another unit; undefined without a unit, and for an unknown revision. */
export const bucketOn = (
  { prefix, bucketing, bucketCount }: Bucketing,
  user: string | undefined,
): number | undefined => {
  if (!user || (bucketing !== 2 && (bucketing ?? 1) !== 1)) return undefined;
  const hash = user === sharedUser ? (Math.imul(prefix, sharedPower) + sharedHash) | 0 : hashOn(prefix, user);
  return bucketOf(hash, bucketing, bucketCount);
};

/**
 * The bucket function ("Evaluation semantics", 4). The hash runs over Unicode code points, so that ports which
 * count characters get the same number (EV-42 to EV-49).
 */

/** Continues a hash over `text`: one step a code point; half a surrogate pair hashes as its own code. */
export function hashOn(start: number, text: string): number {
  // A whole number from the first step on, for the machine as well: where it is not sure, every step asks again.
  let hash = start | 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    hash = (Math.imul(hash, 33) + code) | 0;
  }
  return hash;
}

/** The 32-bit hash of a text, 0 to 2^32-1. */
export function hash(text: string): number {
  return hashOn(5381, text) >>> 0;
}

/** The bucket of a hash, 0 to 99; revision 2 mixes it first, by MurmurHash3's finalizer (fmix32). */
function bucketOf(mixed: number, revision: unknown): number {
  if (revision === 2) {
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return (mixed >>> 0) % 100;
}

/**
 * The bucket of a user for a flag, 0 to 99. Revision 1 (the default) is the specification's; its buckets are
 * not independent between flags. Revision 2 is uniform and independent.
 */
export function bucket(flagKey: string, userKey: string, revision?: 1 | 2): number {
  return bucketOf(hashOn(5381, `${flagKey}:${userKey}`), revision);
}

/** The user whose part of the hash is known: the hash is affine, so that all flags can share it. */
let sharedUser = '';
let sharedHash = 0;
let sharedPower = 0;

/** Prepares for many flags and one user. What is remembered changes no answer. */
export function shareHash(user = ''): void {
  sharedUser = user;
  sharedHash = hashOn(0, user);
  sharedPower = hashOn(1, user) - sharedHash;
}

/** The bucket of a user, whose key continues the hash `prefix`; undefined for nobody and for an unknown revision. */
export function bucketOn(prefix: number, user: string | undefined, revision: unknown): number | undefined {
  if (!user || (revision !== 2 && (revision ?? 1) !== 1)) return undefined;
  return bucketOf(
    user === sharedUser ? (Math.imul(prefix, sharedPower) + sharedHash) | 0 : hashOn(prefix, user),
    revision,
  );
}

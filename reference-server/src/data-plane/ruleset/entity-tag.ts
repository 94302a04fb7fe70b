import { createHash } from 'node:crypto';
import type { Flag, Json, Ruleset } from '@flagsvc/sdk-core';
import { canonicalJson } from '../../lib/canonical-json.ts';

/** The SHA-256 of a chunk: a hash of its flags' canonical JSON, with commas between them. */
export function digestOfFlags(flags: readonly Flag[]): Uint8Array {
  return digestOfJson(flags.map((flag) => canonicalJson(flag as unknown as Json)).join(','));
}

export function digestOfJson(json: string | Uint8Array): Uint8Array {
  return createHash('sha256').update(json).digest();
}

/**
 * The entity tag of a ruleset, quotes included: a hash of the digests of its chunks and of its other members except
 * `fetched_at`. Because flags are hashed by chunk, a new version only has to hash the chunks that changed.
 */
export function entityTag(ruleset: Ruleset, chunkDigests: readonly Uint8Array[]): string {
  const { flags: _flags, fetched_at: _fetchedAt, ...rest } = ruleset;
  const hash = createHash('sha256').update(canonicalJson(rest as unknown as Json));
  const sum = hash.update(Buffer.concat(chunkDigests)).digest('hex');
  return `W/"${ruleset.version}-${sum.slice(0, 16)}"`;
}

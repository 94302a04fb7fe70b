import { bucket, type Flag, type Ruleset } from '@flagsvc/sdk-core';
import { lastUpTo } from '../../lib/sorted-list.ts';
import { conditionsOf, ownWeights, type SegmentConditions } from '../evaluate/pattern-work.ts';

/**
 * Consecutive flags of a ruleset. The entity tag hashes flags by chunk, the cost of regular expressions is computed by
 * chunk, and the fast path reuses chunks from one version to the next.
 */
export interface Chunk {
  readonly flags: readonly Flag[];
  /** The flags of other chunks that the prerequisites of `flags` lead to. */
  readonly needed: readonly Flag[];
}

const FLAGS_MIN = 16;
const FLAGS_MAX = 64;
/**
 * A chunk ends with the flag that brings its conditions to this weight. Patterns and plain operators count, which
 * limits the patterns that are compiled together.
 */
const WEIGHT_MAX = 20_000;
/** Percentage of keys that begin a chunk. */
const BORDER_PERCENT = 4;
/** Decides which keys begin a chunk. It is part of the entity tag's definition, so it never changes. */
const BORDER_SALT = 'page';

/** The chunks of a ruleset, at least one; a single one if the flags are not in the order of their keys. */
export function splitIntoChunks({ flags, segments }: Ruleset): readonly Chunk[] {
  const conditions = conditionsOf(segments);
  const chunks: Chunk[] = [];
  let from = 0;
  do {
    const end = endOfChunk(flags, from, conditions);
    if (end === undefined) return [{ flags, needed: [] }];
    const own = flags.slice(from, end);
    chunks.push({ flags: own, needed: neededBy(own, flags).flags });
    from = end;
  } while (from < flags.length);
  return chunks;
}

/**
 * Where the chunk that begins at `from` ends; undefined if flags are out of order. Depends only on the chunk's flags
 * and the next key, so an added or removed flag only moves the borders next to it.
 */
export function endOfChunk(
  flags: readonly Flag[],
  from: number,
  segments: SegmentConditions,
): number | undefined {
  let weight = 0;
  for (let end = from + 1; end < flags.length; end++) {
    const { key } = flags[end]!;
    const last = flags[end - 1]!;
    if (!(last.key < key)) return undefined;
    for (const one of ownWeights(last, segments).values()) weight += one;
    const size = end - from;
    if (weight >= WEIGHT_MAX || size >= FLAGS_MAX) return end;
    if (size >= FLAGS_MIN && bucket(BORDER_SALT, key, 2) < BORDER_PERCENT) return end;
  }
  return flags.length;
}

/** The flags outside a chunk that its prerequisites lead to. */
export interface Needed {
  /** The keys of the needed flags, including keys that no flag has. */
  readonly keys: ReadonlySet<string>;
  readonly flags: readonly Flag[];
}

/** The flags of `all` that the prerequisites of `own` lead to. `all` must be sorted by key. */
export function neededBy(own: readonly Flag[], all: readonly Flag[]): Needed {
  const found = new Map<string, Flag | undefined>();
  const ownKeys = new Set(own.map(keyOf));
  const follow = ({ prerequisites }: Flag): void => {
    for (const { flag_key } of prerequisites ?? []) {
      if (ownKeys.has(flag_key) || found.has(flag_key)) continue;
      const flag = all[lastUpTo(all, flag_key, keyOf)];
      found.set(flag_key, flag?.key === flag_key ? flag : undefined);
    }
  };
  own.forEach(follow);
  // The loop also visits the entries that it adds.
  for (const flag of found.values()) if (flag !== undefined) follow(flag);
  return {
    keys: new Set(found.keys()),
    flags: [...found.values()].filter((flag) => flag !== undefined),
  };
}

const keyOf = ({ key }: Flag): string => key;

import type { Flag } from '@flagsvc/sdk-core';
import { lastUpTo } from '../../lib/sorted-list.ts';
import {
  createPatternLoad,
  type PatternLoad,
  type SegmentConditions,
  sumOf,
  type Weights,
} from './pattern-work.ts';

/** What the conditions of a ruleset cost, by chunk. */
export interface PatternLoads {
  /** The chunks of the ruleset, at least one. */
  readonly list: readonly ChunkLoad[];
  /** The weights of all chunks together. */
  readonly weights: Weights;
  /** The only chunk that can contain the flag, whether or not the flag exists. */
  chunkOf(flagKey: string): ChunkLoad;
}

/** What the conditions of one chunk cost. */
export interface ChunkLoad {
  readonly flags: readonly Flag[];
  readonly patterns: PatternLoad;
}

export function createPatternLoads(
  chunks: readonly { readonly flags: readonly Flag[]; readonly needed: readonly Flag[] }[],
  segments: SegmentConditions,
): PatternLoads {
  const list = chunks.map(({ flags, needed }) => ({
    flags,
    patterns: createPatternLoad([...flags, ...needed], segments),
  }));
  return { list, weights: sumOf(list.map(({ patterns }) => patterns.total)), chunkOf: createFinder(list) };
}

/** Creates a function that finds the only chunk that can contain a flag, whether or not the flag exists. */
export function createFinder<Chunk extends { readonly flags: readonly Flag[] }>(
  chunks: readonly Chunk[],
): (flagKey: string) => Chunk {
  const firstKeys = chunks.map(({ flags }) => flags[0]?.key ?? '');
  return (flagKey) => chunks[lastUpTo(firstKeys, flagKey, (key) => key)] ?? chunks[0]!;
}

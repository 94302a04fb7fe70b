import type { Context } from '@flagsvc/sdk-core';
import type { FlagSelection } from '../ports.ts';
import type { ChunkLoad, PatternLoads } from './pattern-loads.ts';
import {
  type ExcessiveWork,
  FLAG_WORK_MAX,
  type Lengths,
  lengthsOf,
  measureFlag,
  measureRequest,
  workOf,
} from './pattern-work.ts';

/** Work up to this amount takes about a millisecond, so a request does it at once instead of in steps. */
export const LIGHT_WORK: number = FLAG_WORK_MAX / 50;

/**
 * Implements `PublishedRuleset.measure`. First measures all flags together, which is quick and nearly always shows that
 * the work is light.
 */
export function measure(
  { list, weights, chunkOf }: PatternLoads,
  flagKeys: FlagSelection,
  context: Context,
): number | ExcessiveWork {
  if (weights.size === 0) return 0;
  const lengths = lengthsOf(context);
  // Named flags are evaluated one by one, each with its prerequisites.
  const most = workOf(weights, lengths) * (flagKeys === '*' ? 1 : flagKeys.length);
  if (most <= LIGHT_WORK) return most;
  let work = 0;
  for (const { patterns, flagKey } of flagKeys === '*' ? stepsOf(list, lengths) : named(flagKeys, chunkOf)) {
    const part =
      flagKey === undefined ? workOf(patterns.total, lengths) : measureFlag(patterns, flagKey, lengths);
    if (typeof part !== 'number') return part;
    work += part;
  }
  return measureRequest(work, weights, lengths);
}

/**
 * What one step evaluates: the flag with the key `flagKey` and its prerequisites or, without `flagKey`, all flags of a
 * chunk.
 */
type Step = Pick<ChunkLoad, 'patterns'> & { readonly flagKey?: string };

/** The steps in which the fast path evaluates all flags: one step per chunk, or one per flag if the chunk is heavy. */
function* stepsOf(list: readonly ChunkLoad[], lengths: Lengths): Iterable<Step> {
  for (const { patterns, flags } of list) {
    if (workOf(patterns.total, lengths) <= FLAG_WORK_MAX) yield { patterns };
    else for (const { key } of flags) yield { patterns, flagKey: key };
  }
}

function* named(flagKeys: readonly string[], chunkOf: PatternLoads['chunkOf']): Iterable<Step> {
  for (const flagKey of flagKeys) yield { patterns: chunkOf(flagKey).patterns, flagKey };
}

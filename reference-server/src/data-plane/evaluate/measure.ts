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
  type PatternLoad,
  sumOf,
  type Weights,
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
  flagKeys: FlagSelection | 'each',
  context: Context,
): number | ExcessiveWork {
  if (weights.size === 0) return 0;
  const lengths = lengthsOf(context);
  if (flagKeys !== 'each') {
    // Named flags are evaluated one by one, each with its prerequisites.
    const most = workOf(weights, lengths) * (flagKeys === '*' ? 1 : flagKeys.length);
    if (most <= LIGHT_WORK) return most;
  }
  const steps = typeof flagKeys === 'string' ? stepsOf(list, flagKeys, lengths) : named(flagKeys, chunkOf);
  let work = 0;
  for (const step of steps) {
    const part =
      'weights' in step ? workOf(step.weights, lengths) : measureFlag(step.patterns, step.flagKey, lengths);
    if (typeof part !== 'number') return part;
    work += part;
  }
  return measureRequest(work, weights, lengths);
}

/** What one step measures: a flag with its prerequisites, or all flags of a chunk by their summed weights. */
type Step = { readonly patterns: PatternLoad; readonly flagKey: string } | { readonly weights: Weights };

/**
 * The steps that measure all flags: one step per chunk, or one per flag if the chunk is heavy. No flag of a chunk can
 * exceed `FLAG_WORK_MAX` if all its flags together do not.
 */
function* stepsOf(list: readonly ChunkLoad[], flagKeys: '*' | 'each', lengths: Lengths): Iterable<Step> {
  for (const chunk of list) {
    const { patterns, flags } = chunk;
    if (workOf(patterns.total, lengths) <= FLAG_WORK_MAX)
      yield { weights: flagKeys === '*' ? patterns.total : weightsOfEach(chunk) };
    else for (const { key } of flags) yield { patterns, flagKey: key };
  }
}

function* named(flagKeys: readonly string[], chunkOf: PatternLoads['chunkOf']): Iterable<Step> {
  for (const flagKey of flagKeys) yield { patterns: chunkOf(flagKey).patterns, flagKey };
}

const summed = new WeakMap<ChunkLoad, Weights>();

/** The weights of a chunk's flags, each with its prerequisites. Cached, because versions share most chunks. */
function weightsOfEach(chunk: ChunkLoad): Weights {
  let weights = summed.get(chunk);
  if (weights === undefined) {
    weights = sumOf(chunk.flags.flatMap(({ key }) => [...chunk.patterns.weightsOf(key)]));
    summed.set(chunk, weights);
  }
  return weights;
}

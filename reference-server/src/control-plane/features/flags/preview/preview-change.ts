import { isDeepStrictEqual } from 'node:util';
import { type Context, createEvaluator, type Evaluator, type Ruleset } from '@flagsvc/sdk-core';
import type { Steps } from '../../../../data-plane/evaluate/heavy-work.ts';
import {
  conditionsOf,
  createPatternLoad,
  type ExcessiveWork,
  FLAG_WORK_MAX,
  lengthsOf,
  measureFlag,
  measureRequest,
  sumOf,
  workOf,
} from '../../../../data-plane/evaluate/pattern-work.ts';

const EXAMPLES_MAX = 10;

/** How a change would affect some contexts. */
export interface Preview {
  readonly contexts: number;
  /** Number of contexts that would get another variation. */
  readonly changed: number;
  readonly transitions: readonly { readonly from: string; readonly to: string; readonly count: number }[];
  readonly examples: readonly {
    readonly context: Context;
    readonly from: { readonly variation_key: string; readonly reason: string };
    readonly to: { readonly variation_key: string; readonly reason: string };
  }[];
  /**
   * Flags that depend on this one; for each, the number of contexts that would get a different value from that flag.
   */
  readonly dependents: readonly { readonly flag_key: string; readonly changed: number }[];
  /** With recorded contexts only: attributes that the flag would use but no recorded context has. */
  readonly unrecorded_attributes?: readonly string[];
}

/** A flag and its dependents before and after a change. */
export interface Comparison {
  readonly flagKey: string;
  readonly dependents: readonly string[];
  readonly before: Ruleset;
  readonly after: Ruleset;
}

/**
 * Adds to `workBefore` the work of matching a context against the patterns of both rulesets. Returns the sum, or the
 * reason why the work is too much.
 */
export type MeasureContext = (context: Context, workBefore: number) => number | ExcessiveWork;

export function createMeasure({ flagKey, dependents, before, after }: Comparison): MeasureContext {
  const keys = [flagKey, ...dependents];
  const loads = [before, after].map(({ flags, segments }) => {
    const load = createPatternLoad(flags, conditionsOf(segments));
    return { load, ofKeys: sumOf(keys.flatMap((key) => [...load.weightsOf(key)])) };
  });
  const weights = sumOf(loads.map(({ load }) => load.total));
  return (context, workBefore) => {
    let work = workBefore;
    if (weights.size === 0) return work;
    const lengths = lengthsOf(context);
    for (const { load, ofKeys } of loads) {
      const together = workOf(ofKeys, lengths);
      // No single flag can exceed its limit if all flags together do not.
      for (const key of together > FLAG_WORK_MAX ? keys : []) {
        const measured = measureFlag(load, key, lengths);
        if (typeof measured !== 'number') return measured;
      }
      work += together;
    }
    return measureRequest(work, weights, lengths);
  };
}

/** Evaluates a flag and its dependents for each context, before and after the change. */
export function* previewChange(
  { flagKey, dependents, before, after }: Comparison,
  contexts: readonly Context[],
): Steps<Preview> {
  const evaluators = [createEvaluator(before), createEvaluator(after)] as const;
  const counts = new Map<string, { from: string; to: string; count: number }>();
  const examples: Preview['examples'][number][] = [];
  const changedFor = new Map(dependents.map((key) => [key, 0]));
  let changed = 0;
  for (const context of contexts) {
    const [from, to] = yield* evaluateBoth(evaluators, flagKey, context);
    const name = JSON.stringify([from.variation_key, to.variation_key]);
    const known = counts.get(name) ?? { from: from.variation_key, to: to.variation_key, count: 0 };
    known.count++;
    counts.set(name, known);
    if (from.variation_key !== to.variation_key) {
      changed++;
      if (examples.length < EXAMPLES_MAX) examples.push({ context, from: shown(from), to: shown(to) });
    }
    for (const key of dependents) {
      const [one, other] = yield* evaluateBoth(evaluators, key, context);
      if (!isDeepStrictEqual(one.value, other.value)) changedFor.set(key, changedFor.get(key)! + 1);
    }
  }
  return {
    contexts: contexts.length,
    changed,
    transitions: [...counts.values()].sort((left, right) => right.count - left.count),
    examples,
    dependents: Array.from(changedFor, ([flag_key, changed]) => ({ flag_key, changed })),
  };
}

type Served = ReturnType<Evaluator['evaluate']> & { readonly variation_key: string };

function* evaluateBoth(
  [before, after]: readonly [Evaluator, Evaluator],
  flagKey: string,
  context: Context,
): Steps<readonly [Served, Served]> {
  const one = serve(before, flagKey, context);
  yield;
  const other = serve(after, flagKey, context);
  yield;
  return [one, other];
}

function serve(evaluator: Evaluator, flagKey: string, context: Context): Served {
  const result = evaluator.evaluate(flagKey, context);
  return { ...result, variation_key: result.variation_key ?? '' };
}

function shown({ variation_key, reason }: Served): Preview['examples'][number]['from'] {
  return { variation_key, reason };
}

import type { Context, EvaluationResult } from '@flagsvc/sdk-core';
import type { Report, RulesetSource, Snapshot } from '@flagsvc/sdk-core/client';
import type { EvaluationMode } from './mode.ts';

type Results = Record<string, EvaluationResult>;

/** The answers for one context, ready to be read. */
export interface PageSnapshot extends Snapshot {
  /** Whom they are for. */
  readonly context: Context;
  /** True when they came evaluated and cannot be evaluated anew for another context. */
  readonly isFixed: boolean;
}

/** What a flag that does not exist gives. */
const NOT_FOUND: EvaluationResult = {
  value: null,
  reason: 'FLAG_NOT_FOUND',
  rule_id: null,
  variation_key: null,
};

/** Evaluations as they came, without those that are none; undefined when there are none at all. */
const readEvaluations = (evaluations: unknown, report: Report): Results | undefined => {
  if (Object(evaluations) !== evaluations || Array.isArray(evaluations)) return;
  const results: Results = Object.create(null);
  for (const [flagKey, result] of Object.entries(evaluations as Record<string, EvaluationResult | null>)) {
    const { value, variation_key } = Object(result);
    if (value !== undefined && (variation_key === null || typeof variation_key === 'string'))
      results[flagKey] = result!;
    else report('BROKEN_FLAG', flagKey);
  }
  return results;
};

const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Answers for one context at a time: every flag is evaluated when the answers come, and then only looked up. */
export const createPageSource = (
  mode: EvaluationMode,
  context: () => Context,
): RulesetSource<PageSnapshot> => {
  let results: Results = {};
  let previousVersion: number | null | undefined;
  let lastData: unknown;
  let ruleset: ReturnType<EvaluationMode['load']>;

  return {
    request: () => mode.request(context()),
    load(data, report) {
      const mine = context();
      const { evaluations, track_exposures } = Object(data);
      const evaluated = readEvaluations(evaluations, report);
      // The same data comes again with a new context.
      if (data !== lastData) ruleset = evaluated ? undefined : mode.load(data, report);
      lastData = data;
      const found = evaluated ?? ruleset?.evaluateAll(mine);
      if (!found) return;
      const version = ruleset?.version ?? null;
      for (const flagKey in found) {
        const result = found[flagKey]!;
        const before = results[flagKey];
        // What did not change keeps its identity, for those who compare by it. Counters do, by version.
        if (before && isSame(before.value, result.value))
          found[flagKey] =
            version === previousVersion && isSame(before, result)
              ? before
              : { ...result, value: before.value };
      }
      results = found;
      previousVersion = version;
      return {
        version,
        context: mine,
        isFixed: !ruleset,
        exposes: ruleset?.exposes ?? ((flagKey) => Object(track_exposures).includes?.(flagKey)),
        evaluate: (flagKey) => found[flagKey] ?? NOT_FOUND,
        evaluateAll: () => Object.assign(Object.create(null), found),
      };
    },
    changes(previous, next) {
      const before = previous?.evaluateAll({}) ?? {};
      const after = next.evaluateAll({});
      return Object.keys({ ...before, ...after }).filter((key) => !isSame(before[key], after[key]));
    },
  };
};

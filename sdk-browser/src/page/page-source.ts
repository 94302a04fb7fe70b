import type { Context, EvaluationResult } from '@flagsvc/sdk-core';
import { type RulesetSource, type Snapshot, toJson } from '@flagsvc/sdk-core/client';
import type { EvaluationMode } from '../client/mode.ts';

type Results = Record<string, EvaluationResult>;

/** The answers for one context. */
export interface PageSnapshot extends Snapshot {
  /** The context of the answers. */
  readonly context: Context;
  /** True for answers that arrived evaluated and cannot be evaluated for another context. */
  readonly isFixed: boolean;
  readonly results: Results;
}

const isSame = (one: unknown, other: unknown) => one === other || toJson(one) === toJson(other);

/** Answers for one context at a time: evaluates all flags when a payload is loaded, and then only looks them up. */
export const createPageSource = (
  mode: EvaluationMode,
  context: () => Context,
): RulesetSource<PageSnapshot> => {
  let results: Results = {};
  let previousVersion: number | null | undefined;
  let previousData: unknown;
  let ruleset: ReturnType<EvaluationMode['load']>;

  return {
    request: () => mode.request(context()),
    load(data, report) {
      const own = context();
      // After a change of context the same data is loaded again, and its ruleset is reused.
      if (data !== previousData) ruleset = mode.load(data, report);
      previousData = data;
      const { evaluations, track_exposures, unit_rules } = Object(data);
      const all = ruleset
        ? ruleset.evaluateAll(own)
        : // A frozen copy, so that the page can change neither the values of other readers nor the payload for other
          // tabs. Throws if there are no evaluations.
          JSON.parse(toJson(evaluations), (_, part) => Object.freeze(part));
      if (Object(all) !== all || Array.isArray(all)) return;
      const units = Object.keys(Object(unit_rules));
      const version = ruleset?.version ?? null;
      const found: Results = Object.create(null);
      for (const flagKey of Object.keys(all)) {
        const result: EvaluationResult = all[flagKey];
        const { value, variation_key } = Object(result);
        const before = Object(results[flagKey]);
        if (value === undefined || (variation_key !== null && typeof variation_key !== 'string'))
          report('BROKEN_FLAG', flagKey);
        // An equal value stays the same object. An equal result stays the same object only within a version, because
        // events are counted by result and version.
        else if (!isSame(before.value, value)) found[flagKey] = result;
        else if (version === previousVersion && isSame(before, result)) found[flagKey] = before;
        else found[flagKey] = Object.freeze({ ...result, value: before.value });
      }
      results = found;
      previousVersion = version;
      return {
        exposes: (flagKey, ruleId) =>
          Object(track_exposures).includes?.(flagKey) &&
          (units.find((by) => Object(unit_rules[by]).includes?.(ruleId)) ?? 'user_key'),
        units,
        ...ruleset,
        version,
        context: own,
        isFixed: !ruleset,
        results,
        evaluate: (flagKey) => found[flagKey],
        evaluateAll: () => Object.assign(Object.create(null), found),
      };
    },
    changes: (previous, { results: after, exposes, context }) =>
      Object.keys({ ...previous?.results, ...after }).filter(
        (key) =>
          !isSame(previous?.results[key], after[key]) ||
          // For the next user, the same answer is a new exposure (decisions/0019).
          (exposes(key, null) && previous!.context.user_key !== context.user_key),
      ),
  };
};

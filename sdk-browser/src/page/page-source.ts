import type { Context, EvaluationResult } from '@flagsvc/sdk-core';
import { type RulesetSource, type Snapshot, toJson } from '@flagsvc/sdk-core/client';
import type { EvaluationMode } from '../client/mode.ts';

type Results = Record<string, EvaluationResult>;

/** The answers for one context, ready to be read. */
export interface PageSnapshot extends Snapshot {
  /** Whom they are for. */
  readonly context: Context;
  /** True when they came evaluated and cannot be evaluated anew for another context. */
  readonly isFixed: boolean;
  readonly results: Results;
}

const isSame = (one: unknown, other: unknown) => one === other || toJson(one) === toJson(other);

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
      // The same data comes again with a new context.
      if (data !== lastData) ruleset = mode.load(data, report);
      lastData = data;
      const { evaluations, track_exposures } = Object(data);
      const all = ruleset
        ? ruleset.evaluateAll(mine)
        : // A frozen copy, as rulesets give: what the page makes of a value must not reach those who ask after it, nor
          // the other tabs, which are handed the payload. Throws when there is nothing.
          JSON.parse(toJson(evaluations), (_, part) => Object.freeze(part));
      if (Object(all) !== all || Array.isArray(all)) return;
      const version = ruleset?.version ?? null;
      const found: Results = Object.create(null);
      for (const flagKey of Object.keys(all)) {
        const result: EvaluationResult = all[flagKey];
        const { value, variation_key } = Object(result);
        const before = Object(results[flagKey]);
        if (value === undefined || (variation_key !== null && typeof variation_key !== 'string'))
          report('BROKEN_FLAG', flagKey);
        // What did not change keeps its identity, for those who compare by it. Counters do, by version.
        else if (!isSame(before.value, value)) found[flagKey] = result;
        else if (version === previousVersion && isSame(before, result)) found[flagKey] = before;
        else found[flagKey] = Object.freeze({ ...result, value: before.value });
      }
      results = found;
      previousVersion = version;
      return {
        exposes: (flagKey: string) => Object(track_exposures).includes?.(flagKey),
        // What a ruleset knows of itself, where one is here.
        ...ruleset,
        version,
        context: mine,
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
          // The next user is exposed, too, to what stays on the page (decisions/0019).
          (exposes(key) && previous!.context.user_key !== context.user_key),
      ),
  };
};

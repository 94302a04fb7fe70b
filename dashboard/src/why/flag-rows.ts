import type { Context, EvaluationResult, Evaluator, Flag, TargetingRule } from '@flagsvc/sdk-core';
import { unitShares } from '@flagsvc/sdk-core/unit-shares';

/** What one flag serves to the context, and what it would serve with the unsaved edit. */
export interface FlagRow {
  readonly key: string;
  readonly name: string;
  readonly flag: Flag;
  readonly result: EvaluationResult;
  /** Undefined when the edit does not change it. */
  readonly edited: EvaluationResult | undefined;
  /** True when the user gets something else than the default. */
  readonly isSpecial: boolean;
  /** The rule that decided, counted from 1, and its share for a split. */
  readonly rule: { readonly number: number; readonly share: number | undefined } | undefined;
  /** The need that does not hold. */
  readonly missing: { readonly flagKey: string; readonly variation: string } | undefined;
}

/** Every flag of the ruleset, for one context, what the edit changes first, then by name. */
export function flagRows(
  saved: Evaluator,
  context: Context,
  more: { readonly edited: Evaluator | undefined; readonly nameOf: (key: string) => string },
): readonly FlagRow[] {
  const rows = saved.ruleset.flags.map((flag): FlagRow => {
    const before = saved.evaluate(flag.key, context);
    const after = more.edited?.evaluate(flag.key, context);
    const isChanged = after !== undefined && after.variation_key !== before.variation_key;
    const evaluator = isChanged ? more.edited! : saved;
    const shown = isChanged ? after : before;
    const source = evaluator.ruleset.flags.find(({ key }) => key === flag.key) ?? flag;
    return {
      key: flag.key,
      name: more.nameOf(flag.key),
      flag: source,
      result: before,
      edited: isChanged ? after : undefined,
      isSpecial: shown.variation_key !== source.default_variation,
      rule: ruleOf(source, shown),
      missing: shown.reason === 'PREREQUISITE' ? missingOf(evaluator, flag.key, context) : undefined,
    };
  });
  return rows.toSorted(
    (left, right) =>
      Number(right.edited !== undefined) - Number(left.edited !== undefined) ||
      left.name.localeCompare(right.name),
  );
}

function ruleOf({ targeting_rules: rules }: Flag, { rule_id, variation_key }: EvaluationResult) {
  const index = rules.findIndex(({ id }) => id === rule_id);
  if (index === -1) return undefined;
  return { number: index + 1, share: shareOf(rules[index]!, variation_key) };
}

/** How many percent of its users a rule serves the variation; undefined for a rule without a split. */
function shareOf({ percentage_rollout: entries, bucketing }: TargetingRule, served: string | null) {
  if (entries && typeof bucketing === 'object' && bucketing !== null)
    return unitShares(bucketing).get(served ?? '') ?? 0;
  const shares = entries?.filter(({ variation }) => variation === served);
  return shares?.reduce((sum, { percentage }) => sum + percentage, 0);
}

function missingOf(evaluator: Evaluator, flagKey: string, context: Context) {
  const need = evaluator.explain(flagKey, context).prerequisites.find(({ holds }) => !holds);
  return need && { flagKey: need.flag_key, variation: need.variation };
}

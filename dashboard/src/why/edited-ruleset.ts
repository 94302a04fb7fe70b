import type { Condition, Flag, Ruleset, TargetingRule } from '@flagsvc/sdk-core';
import { SEGMENT } from '../app/conditions/condition.ts';
import type { EditedConfig, EditedRule } from '../app/drafts/flag-draft.ts';

/** How the server names the segment that it compiles from a list of included keys. */
export const LIST_SUFFIX = '/included';

/** The ruleset as SDKs would get it once the edit is saved. Rules of a flag that is off are not part of a ruleset. */
export function withEdit(ruleset: Ruleset, flagKey: string, edit: EditedConfig): Ruleset {
  const listed = new Set(ruleset.segments.map(({ key }) => key).filter((key) => key.endsWith(LIST_SUFFIX)));
  const compile = (flag: Flag): Flag => {
    const before = new Map(flag.targeting_rules.map((rule) => [rule.id, rule]));
    return {
      ...flag,
      default_variation: edit.fallback,
      prerequisites: flag.enabled ? edit.needs : [],
      targeting_rules: flag.enabled
        ? edit.rules.map((rule, index) => compileRule(rule, { index, listed, before: before.get(rule.id) }))
        : [],
    };
  };
  return { ...ruleset, flags: ruleset.flags.map((flag) => (flag.key === flagKey ? compile(flag) : flag)) };
}

function compileRule(
  { id, conditions, variation, shares }: EditedRule,
  at: {
    readonly index: number;
    readonly listed: ReadonlySet<string>;
    readonly before: TargetingRule | undefined;
  },
): TargetingRule {
  const { index, listed, before } = at;
  return {
    id,
    priority: index,
    conditions: conditions.map((condition) => refer(condition, listed)),
    ...(shares === undefined
      ? { variation: variation ?? null }
      : { percentage_rollout: shares.filter(({ percentage }) => percentage > 0) }),
    ...(before?.bucketing != null && { bucketing: before.bucketing }),
  };
}

/** A condition that names a segment with included keys also names the segment compiled from those keys. */
function refer({ attribute, operator, value }: Condition, listed: ReadonlySet<string>): Condition {
  if (attribute !== SEGMENT) return { attribute, operator, value };
  const keys = (Array.isArray(value) ? value : [value]).map(String);
  const all = keys.flatMap((key) => (listed.has(key + LIST_SUFFIX) ? [key, key + LIST_SUFFIX] : [key]));
  const isNegative = operator === 'is_not' || operator === 'not_one_of';
  return { attribute, operator: isNegative ? 'not_one_of' : 'one_of', value: all };
}

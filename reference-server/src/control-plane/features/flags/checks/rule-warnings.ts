import type { Condition } from '@flagsvc/sdk-core';
import type { Warning } from '../../../../http/warnings.ts';
import type { SegmentRow } from '../../../../publishing/compile-segments.ts';
import type { Unreachable } from '../../../../publishing/unreachable-rules.ts';
import type { Queryable } from '../../../../storage/database.ts';
import type { StoredRule } from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';
import type { ProjectLookups } from '../project-lookups.ts';
import { type RuleScope, readRuleScope, ruleScope, unreachableRules } from './rule-scope.ts';

/** The rules of a flag in one environment, in the order of evaluation. */
interface FlagRules {
  readonly key: string;
  readonly environmentId: string;
  readonly rules: readonly {
    readonly id: string;
    readonly name?: string;
    readonly conditions: readonly Condition[];
  }[];
}

/** Warnings about rules of a flag that are valid but probably not intended. */
export async function warnOfRules(
  db: Queryable,
  lookups: Pick<ProjectLookups, 'listSegments'>,
  flag: FlagState,
): Promise<readonly Warning[]> {
  return ruleWarnings(flag, await readRuleScope(db, lookups, flag));
}

/** Returns the same warnings as `warnOfRules`, for a scope that has been read before. */
export function ruleWarnings(
  flag: Pick<FlagState, 'key' | 'environmentId' | 'rules'>,
  scope: RuleScope,
): readonly Warning[] {
  const { rules } = flag;
  return [
    ...unreachableRules(rules, scope).map((found) => unreachableWarning(flag, found)),
    ...warnOfEqualPriorities(flag),
    ...warnOfRepeatedVariations(flag),
  ];
}

/** Warnings for rules that could decide before a change of segments, but cannot after it. */
export function warnOfSegmentChange(
  configs: readonly {
    readonly flagKey: string;
    readonly environmentId: string;
    readonly rules: readonly StoredRule[];
  }[],
  { before, after }: { readonly before: readonly SegmentRow[]; readonly after: readonly SegmentRow[] },
): readonly Warning[] {
  const [past, present] = [ruleScope(before), ruleScope(after)];
  return configs.flatMap(({ flagKey: key, environmentId, rules }) => {
    const known = new Set(unreachableRules(rules, past).map(({ index }) => index));
    const fresh = unreachableRules(rules, present).filter(({ index }) => !known.has(index));
    return fresh.map((found) => unreachableWarning({ key, environmentId, rules }, found));
  });
}

/** The warning for a rule that can never decide. */
export function unreachableWarning({ key, environmentId, rules }: FlagRules, found: Unreachable): Warning {
  const { code, index } = found;
  const field = `targeting_rules.${index}`;
  const about = { flag_key: key, environment_id: environmentId, rule_id: rules[index]!.id };
  const problem = `${capitalize(nameOf(rules, index))} of ${key} never decides`;
  const rule = `rule ${index + 1}`;
  if (found.code === 'rule-never-matches') {
    const { conditions } = found;
    const shown = conditions.map((at) => describeCondition(rules[index]!.conditions[at]!));
    const reason = shown.length === 1 ? 'matches nobody' : 'exclude each other';
    return {
      code,
      field,
      message: `${problem}: ${shown.join(' and ')} ${reason}.`,
      remedy: `Correct the conditions of ${rule}, or remove it.`,
      details: { ...about, conditions },
    };
  }
  const { shadowedBy, byEveryone } = found;
  const other = `rule ${shadowedBy + 1}`;
  const matched = byEveryone ? 'everyone' : `every user that ${rule} matches`;
  return {
    code,
    field,
    message: `${problem}: ${nameOf(rules, shadowedBy)} comes first and matches ${matched}.`,
    remedy: `Move ${rule} before ${other}, ${byEveryone ? `give ${other} conditions` : `narrow ${other}`}, or remove ${rule}.`,
    details: { ...about, shadowed_by: rules[shadowedBy]!.id },
  };
}

function warnOfEqualPriorities({ key, environmentId, rules }: Parameters<typeof ruleWarnings>[0]): Warning[] {
  if (!hasRepetition(rules.map((rule) => rule.priority))) return [];
  return [
    {
      code: 'equal-priorities',
      field: 'targeting_rules',
      message: `Rules of ${key} have the same priority and are evaluated in the listed order.`,
      remedy: 'Give each rule a priority of its own.',
      details: { flag_key: key, environment_id: environmentId },
    },
  ];
}

function warnOfRepeatedVariations({
  key,
  environmentId,
  rules,
}: Parameters<typeof ruleWarnings>[0]): Warning[] {
  return rules.flatMap(({ id, percentage_rollout: rollout = [] }, index): Warning[] => {
    if (!hasRepetition(rollout.map((entry) => entry.variation))) return [];
    return [
      {
        code: 'repeated-variation',
        field: `targeting_rules.${index}.percentage_rollout`,
        message: `The rollout of ${nameOf(rules, index)} of ${key} names a variation twice.`,
        remedy:
          'Combine the percentages of the variation in one entry, unless the order of buckets is intended.',
        details: { flag_key: key, environment_id: environmentId, rule_id: id },
      },
    ];
  });
}

/** `rule 2 ("testers")`. */
function nameOf(rules: FlagRules['rules'], index: number): string {
  const name = rules[index]?.name;
  return `rule ${index + 1}${name ? ` ("${name}")` : ''}`;
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Maximum length of a value in a warning. Lists can be long, and their beginning identifies the condition. */
const VALUE_SHOWN_MAX = 60;

function describeCondition({ attribute, operator, value }: Condition): string {
  const text = JSON.stringify(value);
  const shown = text.length > VALUE_SHOWN_MAX ? `${text.slice(0, VALUE_SHOWN_MAX)}…` : text;
  return `${attribute} ${operator} ${shown}`;
}

function hasRepetition(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length;
}

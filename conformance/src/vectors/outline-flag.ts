import { brief, isObject } from '../suite/json-value.ts';

/** Further rules are left to `explain`. */
const MAX_RULES = 6;

const word = (value: unknown): string =>
  typeof value === 'string' && value !== '' ? value : brief(value, 60);

const conditionOf = (condition: unknown): string =>
  isObject(condition) && 'operator' in condition
    ? `${word(condition['attribute'])} ${word(condition['operator'])} ${brief(condition['value'], 80)}`
    : brief(condition, 80);

const ruleOf = (rule: unknown): string => {
  if (!isObject(rule) || !Array.isArray(rule['conditions'])) return brief(rule, 160);
  const { id, priority, conditions, variation, percentage_rollout: rollout, bucketing } = rule;
  const who = conditions.slice(0, MAX_RULES).map(conditionOf).join(' and ') || 'everybody';
  const more = conditions.length > MAX_RULES ? ` and ${conditions.length - MAX_RULES} more` : '';
  const shares = Array.isArray(rollout)
    ? rollout.map((share) =>
        isObject(share)
          ? `${brief(share['percentage'], 40)} % ${word(share['variation'])}`
          : brief(share, 40),
      )
    : [];
  const what = variation === undefined ? shares.slice(0, MAX_RULES).join(', ') : word(variation);
  const revision = bucketing === undefined ? '' : `, bucketing ${brief(bucketing)}`;
  return `${brief(priority, 40)} ${word(id)}: ${who}${more} → ${what}${revision}`;
};

/** Summarizes a flag, to help explain an unexpected result. Parts with an invalid shape are shown as JSON. */
export const outlineFlag = (ruleset: unknown, key: string): string => {
  const flags = isObject(ruleset) && Array.isArray(ruleset['flags']) ? ruleset['flags'] : [];
  const flag: unknown = flags.find((one) => isObject(one) && one['key'] === key);
  if (!isObject(flag)) return 'not in the ruleset';
  const { enabled, default_variation, prerequisites, targeting_rules: rules } = flag;
  const state =
    enabled === true ? 'enabled' : enabled === false ? 'disabled' : `enabled: ${brief(enabled, 40)}`;
  const needs = Array.isArray(prerequisites)
    ? prerequisites
        .slice(0, MAX_RULES)
        .map((one) =>
          isObject(one)
            ? `, needs ${word(one['flag_key'])} = ${word(one['variation'])}`
            : `, needs ${brief(one, 40)}`,
        )
    : [];
  const head = `${state}, default ${word(default_variation)}${needs.join('')}`;
  if (!Array.isArray(rules)) return `${head}, rules: ${brief(rules, 80)}`;
  const rest = rules.length - MAX_RULES;
  return [
    head,
    ...rules.slice(0, MAX_RULES).map(ruleOf),
    ...(rest > 0 ? [`and ${rest} more rules, see explain`] : []),
  ].join('\n');
};

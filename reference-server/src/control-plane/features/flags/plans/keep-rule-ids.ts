import { isDeepStrictEqual } from 'node:util';
import type { RuleInput, StoredRule } from '../flag-schemas.ts';

/**
 * A rule without an id gets the id of the stored rule with the same content or, if there is none, with the same name.
 * Sending the same declaration again therefore changes nothing, and the history of a rule continues.
 */
export function keepRuleIds(rules: readonly RuleInput[], stored: readonly StoredRule[]): RuleInput[] {
  const given = new Set(rules.map((rule) => rule.id));
  const free = stored.filter((rule) => !given.has(rule.id));
  const take = (isMatch: (rule: StoredRule) => boolean): string | undefined => {
    const index = free.findIndex(isMatch);
    return index < 0 ? undefined : free.splice(index, 1)[0]!.id;
  };
  const same = rules.map((rule) => rule.id ?? take((candidate) => isSameRule(candidate, rule)));
  return rules.map((rule, index) => {
    const id = same[index] ?? (rule.name ? take((candidate) => candidate.name === rule.name) : undefined);
    return { ...rule, ...(id !== undefined && { id }) };
  });
}

function isSameRule(
  { id: _, ...stored }: StoredRule,
  { name = '', ...rule }: Omit<RuleInput, 'id'>,
): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify({ ...rule, name })));
}

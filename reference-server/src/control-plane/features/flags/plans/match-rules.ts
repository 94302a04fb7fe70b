import { isDeepStrictEqual } from 'node:util';
import type { RuleInput, StoredRule } from '../flag-schemas.ts';

/**
 * Declarations have no ids: a rule without one is known again by what it is, or else by its name, and keeps its id, so that
 * its history goes on and the same declaration changes nothing.
 */
export function withKnownIds(rules: readonly RuleInput[], known: readonly StoredRule[]): RuleInput[] {
  const given = new Set(rules.map((rule) => rule.id));
  const free = known.filter((rule) => !given.has(rule.id));
  const take = (isMeant: (rule: StoredRule) => boolean): string | undefined => {
    const index = free.findIndex(isMeant);
    return index < 0 ? undefined : free.splice(index, 1)[0]!.id;
  };
  const same = rules.map((rule) => rule.id ?? take((one) => isSameRule(one, rule)));
  return rules.map((rule, index) => {
    const id = same[index] ?? (rule.name ? take((one) => one.name === rule.name) : undefined);
    return { ...rule, ...(id !== undefined && { id }) };
  });
}

function isSameRule(
  { id: _, ...stored }: StoredRule,
  { name = '', ...rule }: Omit<RuleInput, 'id'>,
): boolean {
  return isDeepStrictEqual(stored, JSON.parse(JSON.stringify({ ...rule, name })));
}

import type { Flag } from '../../api/types.ts';
import { isComplete as isConditionComplete } from '../../app/conditions/condition.ts';
import type { EditedConfig, EditedRule } from '../../app/drafts/flag-draft.ts';

export type SavedRule = Flag['targeting_rules'][number];
export type Share = NonNullable<SavedRule['percentage_rollout']>[number];

export type Rule = EditedRule;
export type Config = EditedConfig;

/** A flag that must serve a variation first. */
export type Need = Config['needs'][number];

/** The saved state as it is edited. Shares below 100 in total are filled up with the default, which serves the rest. */
export function configOf(
  flag: Pick<Flag, 'targeting_rules' | 'default_variation'> & Partial<Pick<Flag, 'prerequisites'>>,
): Config {
  const fallback = flag.default_variation;
  return {
    fallback,
    needs: flag.prerequisites ?? [],
    rules: flag.targeting_rules
      .toSorted((left, right) => left.priority - right.priority)
      .map(({ id, name, conditions, variation, percentage_rollout: shares, bucketing }) => ({
        id,
        name,
        conditions,
        variation: shares?.length ? undefined : (variation ?? fallback),
        shares: shares?.length ? fillUp(shares, fallback) : undefined,
        isFilled: shares !== undefined && sumOf(shares) < 100,
        ...(typeof bucketing === 'object' && { units: bucketing }),
      })),
  };
}

/** Shares that sum to 100: what is missing goes to `fallback`. */
export function fillUp(shares: readonly Share[], fallback: string): readonly Share[] {
  const missing = 100 - sumOf(shares);
  // Shares behind gates are fractions, whose sum may miss 100 by a rounding.
  if (missing < 1e-9) return shares;
  const last = shares.at(-1);
  if (last?.variation === fallback)
    return [...shares.slice(0, -1), { ...last, percentage: last.percentage + missing }];
  return [...shares, { variation: fallback, percentage: missing }];
}

const sumOf = (shares: readonly Share[]): number =>
  shares.reduce((sum, { percentage }) => sum + percentage, 0);

/** An id for a rule or copy that is not saved yet. */
export const newId = (): string => `new-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

export const isNew = ({ id }: Pick<Rule, 'id'>): boolean => id.startsWith('new-');

/** True for a rule that needs nothing more to be saved. */
export function isComplete({ conditions }: Rule): boolean {
  return conditions.every(isConditionComplete);
}

/** The rules with one replaced by `change`. */
export function editRule(config: Config, id: string, change: Partial<Omit<Rule, 'id'>>): Config {
  return { ...config, rules: config.rules.map((rule) => (rule.id === id ? { ...rule, ...change } : rule)) };
}

export function removeRule(config: Config, id: string): Config {
  return { ...config, rules: config.rules.filter((rule) => rule.id !== id) };
}

/** The rules with one moved to a place, counted from 0. Places outside of the list mean its ends. */
export function moveRule(config: Config, id: string, place: number): Config {
  const moved = config.rules.find((rule) => rule.id === id);
  if (moved === undefined) return config;
  const others = config.rules.filter((rule) => rule !== moved);
  return { ...config, rules: insertAt(others, place, moved) };
}

/** The rules with a rule put in at a place. */
export function addRule(config: Config, rule: Rule, place: number = config.rules.length): Config {
  return { ...config, rules: insertAt(config.rules, place, rule) };
}

/** The needs with the one of a flag put in, changed or, without a variation, removed. */
export function withNeed(config: Config, key: string, variation: string | undefined): Config {
  const { needs } = config;
  if (variation === undefined) return { ...config, needs: needs.filter((one) => one.flag_key !== key) };
  const need = { flag_key: key, variation };
  const isKnown = needs.some((one) => one.flag_key === key);
  return {
    ...config,
    needs: isKnown ? needs.map((one) => (one.flag_key === key ? need : one)) : [...needs, need],
  };
}

function insertAt(rules: readonly Rule[], place: number, rule: Rule): readonly Rule[] {
  const at = Math.max(0, Math.min(place, rules.length));
  return [...rules.slice(0, at), rule, ...rules.slice(at)];
}

import type { components } from '@flagsvc/openapi';
import type { Flag } from '../../api/types.ts';
import { type Config, configOf, type Rule } from '../rules/config.ts';
import { differencesOf } from '../rules/differences.ts';
import { isSame } from '../rules/instructions.ts';

/** A part of a flag's configuration that can be promoted on its own. */
export type Part = NonNullable<components['schemas']['PromoteFlagBody']['include']>[number];

/** In the order in which they are compared. */
export const PARTS: readonly Part[] = ['enabled', 'targeting_rules', 'default_variation', 'prerequisites'];

/** What a person chose to promote. */
export interface Promotion {
  readonly include: readonly Part[];
  /** True keeps the rules that only the target has. */
  readonly keepsRules: boolean;
}

type Configured = Pick<Flag, 'enabled' | 'targeting_rules' | 'default_variation' | 'prerequisites'>;

/** The parts that differ between two environments. */
export function differingParts(source: Configured, target: Configured): readonly Part[] {
  const [from, to] = [configOf(source), configOf(target)];
  const alike = pairRules(from, to);
  const isAlike: Readonly<Record<Part, boolean>> = {
    enabled: source.enabled === target.enabled,
    targeting_rules: differencesOf(to, { ...to, rules: alike.rules }).length === 0,
    default_variation: from.fallback === to.fallback,
    prerequisites: isSame(source.prerequisites, target.prerequisites),
  };
  return PARTS.filter((part) => !isAlike[part]);
}

/**
 * The target after the promotion, with the target's ids for rules that mean the same, so that the difference to it says
 * what changes and not that everything is new.
 */
export function promotedConfig(source: Configured, target: Configured, promotion: Promotion): Config {
  const { include, keepsRules } = promotion;
  const [from, to] = [configOf(source), configOf(target)];
  const ids = new Set(from.rules.map(({ id }) => id));
  const kept = keepsRules ? to.rules.filter(({ id }) => !ids.has(id)) : [];
  const after = {
    rules: include.includes('targeting_rules') ? [...from.rules, ...kept] : to.rules,
    fallback: include.includes('default_variation') ? from.fallback : to.fallback,
    needs: include.includes('prerequisites') ? from.needs : to.needs,
  };
  return pairRules(after, to);
}

/** True when the target has rules that the promotion would remove. */
export function hasOwnRules(source: Configured, target: Configured): boolean {
  const ids = new Set(source.targeting_rules.map(({ id }) => id));
  return target.targeting_rules.some(({ id }) => !ids.has(id));
}

/** Rules without a counterpart get the id of a rule of the target with the same name, else with the same conditions. */
function pairRules(config: Config, target: Config): Config {
  const known = new Set(target.rules.map(({ id }) => id));
  const taken = new Set(config.rules.map(({ id }) => id));
  const take = (fits: (rule: Rule) => boolean): Rule | undefined => {
    const found = target.rules.find((rule) => !taken.has(rule.id) && fits(rule));
    if (found !== undefined) taken.add(found.id);
    return found;
  };
  const rules = config.rules.map((rule) => {
    if (known.has(rule.id)) return rule;
    const twin =
      take(({ name }) => name !== '' && name === rule.name) ??
      take(({ conditions }) => isSame(conditions, rule.conditions));
    return twin === undefined ? rule : { ...rule, id: twin.id };
  });
  return { ...config, rules };
}

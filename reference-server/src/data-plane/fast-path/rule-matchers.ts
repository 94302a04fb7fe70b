import {
  type Context,
  createEvaluator,
  type Evaluator,
  type Flag,
  type TargetingRule,
} from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import type { FlagGroup } from './flag-members.ts';

/** Finds which rule of a list decides. Flags with the same conditions share a matcher, which runs once per answer. */
export interface RuleMatcher {
  /** Contains a flag `key` whose value is the position of the rule that decides. */
  readonly evaluator: Evaluator;
  readonly key: string;
  /** The last answer for which the matcher ran; `position` is its result. */
  answerId: number;
  position: number;
}

/**
 * Matchers, keyed by the JSON of their rules' conditions. They are shared by the chunks of a ruleset and by versions
 * with equal segments.
 */
export type RuleMatchers = Map<string, RuleMatcher>;

/** A flag's rules in the order of evaluation, and the matcher that finds the deciding rule. */
export interface MatchedRules {
  readonly rules: readonly TargetingRule[];
  readonly matcher: RuleMatcher;
}

/** The position of the rule that decides, from 1; 0 if none does. */
export function matchRule(matcher: RuleMatcher, context: Context, answerId: number): number {
  if (matcher.answerId !== answerId) {
    matcher.position = Number(matcher.evaluator.evaluate(matcher.key, context).value);
    matcher.answerId = answerId;
  }
  return matcher.position;
}

/** Matchers for the enabled flags that have conditions. Adds new matchers to `known`. */
export function findMatchers(
  { ruleset, flags }: FlagGroup,
  known: RuleMatchers,
): ReadonlyMap<Flag, MatchedRules> {
  const found = flags.filter(hasConditions).map((flag) => {
    const rules = [...flag.targeting_rules].sort((left, right) => left.priority - right.priority);
    return { flag, rules, key: JSON.stringify(rules.map(({ conditions }) => conditions)) };
  });
  const added = new Map(found.filter(({ key }) => !known.has(key)).map(({ key, rules }) => [key, rules]));
  if (added.size > 0) {
    const flagsToAsk = Array.from(added, ([key, rules]) => positionFlag(key, rules));
    const evaluator = createEvaluator({ ...ruleset, flags: flagsToAsk }, { createRuleIndex });
    // The first visit prepares the flags, so it runs now, while no request waits.
    evaluator.visitAll({}, () => {});
    for (const key of added.keys()) known.set(key, { evaluator, key, answerId: 0, position: 0 });
  }
  return new Map(found.map(({ flag, rules, key }) => [flag, { rules, matcher: known.get(key)! }]));
}

function hasConditions({ enabled, targeting_rules }: Flag): boolean {
  return enabled && targeting_rules.some(({ conditions }) => conditions.length > 0);
}

/** A flag whose value is the position of the deciding rule, so that only the evaluator interprets conditions. */
function positionFlag(key: string, rules: readonly TargetingRule[]): Flag {
  const variations = Array.from({ length: rules.length + 1 }, (_, position) => ({
    key: String(position),
    value: position,
  }));
  return {
    key,
    flag_type: 'number',
    enabled: true,
    variations,
    default_variation: '0',
    targeting_rules: rules.map(({ conditions }, index) => ({
      id: '',
      priority: index,
      conditions,
      variation: String(index + 1),
    })),
  };
}

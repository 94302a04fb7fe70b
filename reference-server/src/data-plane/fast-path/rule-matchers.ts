import {
  type Context,
  createEvaluator,
  type Evaluator,
  type Flag,
  type TargetingRule,
} from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import type { FlagGroup } from './flag-members.ts';

/** Which of a flag's rules decides. Flags whose rules ask the same share one, and an answer asks it once. */
export interface Question {
  /** Has a flag at `key` whose value is the answer. */
  readonly evaluator: Evaluator;
  readonly key: string;
  /** The answer that has asked last, and what it was told. */
  round: number;
  place: number;
}

/** By the conditions of the rules in order, as JSON: of the pages of a ruleset, and of versions with the same segments. */
export type Questions = Map<string, Question>;

/** A flag's rules in order of evaluation, and what they ask. */
export interface Asked {
  readonly rules: readonly TargetingRule[];
  readonly question: Question;
}

/** The place of the rule that decides, counted from 1; 0 where none does. */
export function placeFor(question: Question, context: Context, round: number): number {
  if (question.round !== round) {
    question.place = Number(question.evaluator.evaluate(question.key, context).value);
    question.round = round;
  }
  return question.place;
}

/** What the flags ask, but for those that ask nothing; `known` gets what is new. */
export function findQuestions({ ruleset, flags }: FlagGroup, known: Questions): ReadonlyMap<Flag, Asked> {
  const asking = flags.filter(
    ({ enabled, targeting_rules }) =>
      enabled && targeting_rules.some(({ conditions }) => conditions.length > 0),
  );
  const found = asking.map((flag) => {
    const rules = [...flag.targeting_rules].sort((left, right) => left.priority - right.priority);
    return { flag, rules, key: JSON.stringify(rules.map(({ conditions }) => conditions)) };
  });
  const added = new Map(found.filter(({ key }) => !known.has(key)).map(({ key, rules }) => [key, rules]));
  if (added.size > 0) {
    const askers = Array.from(added, ([key, rules]) => askerOf(key, rules));
    const evaluator = createEvaluator({ ...ruleset, flags: askers }, { createRuleIndex });
    // As in `createAddVarying`.
    evaluator.visitAll({}, () => {});
    for (const key of added.keys()) known.set(key, { evaluator, key, round: 0, place: 0 });
  }
  return new Map(found.map(({ flag, rules, key }) => [flag, { rules, question: known.get(key)! }]));
}

/** A flag that serves the place of the rule that decides. */
function askerOf(key: string, rules: readonly TargetingRule[]): Flag {
  const variations = Array.from({ length: rules.length + 1 }, (_, place) => ({
    key: String(place),
    value: place,
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

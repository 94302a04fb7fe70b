/** Trivial evaluators. Each must fail in every category of vectors; otherwise that category tests too little. */
import type { Subject } from './trial.ts';

interface Flag {
  readonly key: string;
  readonly variations: readonly { readonly key: string; readonly value: unknown }[];
  readonly default_variation: string;
  readonly targeting_rules: readonly { readonly id: string; readonly variation?: string }[];
}

const NOT_FOUND = { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };

const served = ({ variations }: Flag, key: unknown, reason: string, rule_id: string | null) => {
  const variation = variations.find((item) => item.key === key);
  return { value: variation?.value, reason, rule_id, variation_key: variation?.key };
};

/** An evaluator that finds the flag and passes it to `answer`. */
const createTrivial = (answer: (flag: Flag) => object): Subject => ({
  createEvaluator: (ruleset) => ({
    evaluate: (key) => {
      const { flags } = (ruleset ?? {}) as { readonly flags?: readonly Flag[] };
      const flag = Array.isArray(flags) ? flags.find((item) => item?.key === key) : undefined;
      return flag ? answer(flag) : NOT_FOUND;
    },
  }),
});

/** The trivial evaluators by name. */
export const trivial: Readonly<Record<string, Subject>> = {
  'always the default': createTrivial((flag) => served(flag, flag.default_variation, 'DEFAULT', null)),
  'always the first variation': createTrivial((flag) =>
    served(flag, flag.variations[0]!.key, 'TARGETING_RULE', flag.targeting_rules[0]?.id ?? null),
  ),
  'always the first rule': createTrivial((flag) =>
    served(flag, flag.targeting_rules[0]!.variation, 'TARGETING_RULE', flag.targeting_rules[0]!.id),
  ),
  'always not found': { createEvaluator: () => ({ evaluate: () => NOT_FOUND }) },
  'always the answer to its first call': {
    createEvaluator: (ruleset) => {
      let last: object | undefined;
      const { evaluate } = trivial['always the first rule']!.createEvaluator(ruleset);
      return {
        evaluate: (key, context) => {
          last ??= evaluate(key, context) as object;
          return last;
        },
      };
    },
  },
};

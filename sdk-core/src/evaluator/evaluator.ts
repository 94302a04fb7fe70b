import type { Context, EvaluationResult, Ruleset } from '../protocol/protocol.ts';
import { shareHash } from './bucket.ts';
import { prepareConditions, userOf } from './conditions.ts';
import { type Decided, evaluateFlag } from './evaluate-flag.ts';
import { explain } from './explain.ts';
import type { Explanation } from './explanation.ts';
import { NOT_FOUND } from './not-found.ts';
import { type CreateRuleIndex, type PreparedFlag, prepareFlag } from './prepared-flag.ts';
import { validItems } from './ruleset.ts';

/**
 * Pure, synchronous evaluation of one ruleset. Nothing here throws, whatever the key or context. Results are frozen and
 * built once: the same outcome of a flag is the same object as long as the evaluator lives. Two flags never share a
 * result, except FLAG_NOT_FOUND, so that a counter can be kept per result.
 */
export interface Evaluator {
  readonly ruleset: Ruleset;
  /** The result of one flag for one context. For an unknown key, the value is null and the reason FLAG_NOT_FOUND. */
  evaluate(flagKey: string, context: Context): EvaluationResult;
  /** The results of all flags of the ruleset, in a record without a prototype, keyed by flag key. */
  evaluateAll(context: Context): Record<string, EvaluationResult>;
  /** The same as `evaluateAll` without building a record: calls `visit` once per flag, in the ruleset's order. */
  visitAll(context: Context, visit: (flagKey: string, result: EvaluationResult) => void): void;
  /** The result of `evaluate`, and the tests that led to it. */
  explain(flagKey: string, context: Context): Explanation;
}

/** Options of `createEvaluator`. */
export interface EvaluatorOptions {
  /**
   * The function of the entry point `rule-index`. With it, a flag's cost grows with the number of attributes in its
   * rules, not with the number of rules.
   */
  readonly createRuleIndex?: CreateRuleIndex;
}

/** Stands for a flag that does not exist. Only its default result is ever read. */
const MISSING_FLAG = { defaultResult: NOT_FOUND } as PreparedFlag;

/** An evaluator without `explain`, so that pages, which never explain results, do not bundle the code for it. */
export interface PlainEvaluator extends Omit<Evaluator, 'explain'> {
  /** The prepared flag of that key; for an unknown key, a flag whose result is FLAG_NOT_FOUND. */
  readonly find: (flagKey: string) => PreparedFlag;
}

/** Like `createEvaluator`, but without `explain`. */
export const createPlainEvaluator = (ruleset: Ruleset, options?: EvaluatorOptions): PlainEvaluator => {
  const flags = validItems(ruleset, 'flags');
  const segments = new Map(
    [...validItems(ruleset, 'segments')].map(([key, { conditions }]) => [key, prepareConditions(conditions)]),
  );
  const prepared = new Map<string, PreparedFlag>();
  const find = (flagKey: string): PreparedFlag => prepared.get(flagKey) ?? prepare(flagKey);
  const preparation = { segments, find, ...options };

  const prepare = (flagKey: string): PreparedFlag => {
    const source = flags.get(flagKey);
    if (!source) return MISSING_FLAG;
    try {
      const flag = prepareFlag(source, preparation);
      prepared.set(flagKey, flag);
      return flag;
    } catch {
      // The flag contains a value that is not JSON, or the stack is full. The outcome is not cached, because the stack
      // may have room the next time.
      return MISSING_FLAG;
    }
  };

  /** All flags in the ruleset's order; undefined until all of them are prepared. */
  let allFlags: { readonly flagKey: string; readonly flag: PreparedFlag }[] | undefined;

  const visitAll: Evaluator['visitAll'] = (context, visit) => {
    const all = allFlags ?? [...flags.keys()].map((flagKey) => ({ flagKey, flag: find(flagKey) }));
    if (prepared.size === flags.size) allFlags = all;
    const decided: Decided = new Map();
    shareHash(userOf(context));
    try {
      for (const { flagKey, flag } of all) visit(flagKey, evaluateFlag(flag, context, decided));
    } finally {
      // Forgets the user key.
      shareHash();
    }
  };

  return {
    ruleset,
    find,
    evaluate: (flagKey, context) => evaluateFlag(prepared.get(flagKey) ?? prepare(flagKey), context),
    visitAll,
    evaluateAll(context) {
      const results: Record<string, EvaluationResult> = Object.create(null);
      visitAll(context, (flagKey, result) => {
        results[flagKey] = result;
      });
      return results;
    },
  };
};

/**
 * Prepares a ruleset for evaluation ("Evaluation semantics"). Flags are prepared when they are first evaluated, so the
 * ruleset must not be changed afterwards. Accepts any value: a broken flag counts as unknown, and a value that is not a
 * ruleset has no flags. `parseRuleset` reports what is wrong.
 */
export const createEvaluator = (ruleset: Ruleset, options?: EvaluatorOptions): Evaluator => {
  const { find, ...evaluator } = createPlainEvaluator(ruleset, options);
  return { ...evaluator, explain: (flagKey, context) => explain(find(flagKey), flagKey, context) };
};

import type { Context, EvaluationResult, Evaluator } from '@flagsvc/sdk-core';
import { type AddMembers, createAddMembers, type FlagGroup, memberOf } from './flag-members.ts';
import { type CaseTable, createCases } from './page-cases.ts';

/** Members of the `evaluations` object, each written once per outcome (decision 0045). */
export interface PageAnswers {
  /** One flag's, as text. */
  member(flagKey: string, context: Context): string;
  /** Adds those of all flags of the page. */
  readonly addAll: AddMembers;
  /** Makes what `addAll` needs before it is asked for. */
  prepare(): void;
}

/** The evaluator has the flags of the page and those that they need. */
export function createPageAnswers(
  evaluator: Evaluator,
  { flags, needed }: Omit<FlagGroup, 'ruleset'>,
  table: CaseTable,
): PageAnswers {
  const members = new Map<EvaluationResult, string>();
  let addAll: AddMembers | undefined;
  const ready = (): AddMembers => {
    if (addAll === undefined) {
      const { ruleset } = evaluator;
      const sound = flags.filter(({ key }) => evaluator.evaluate(key, {}).reason !== 'FLAG_NOT_FOUND');
      const group = { ruleset, flags: sound, needed };
      addAll = createCases(group, table, createAddMembers(group));
    }
    return addAll;
  };

  return {
    member(flagKey, context) {
      const result = evaluator.evaluate(flagKey, context);
      const known = members.get(result);
      if (known !== undefined) return known;
      const member = memberOf(flagKey, result);
      // All unknown keys share one result.
      if (result.reason !== 'FLAG_NOT_FOUND') members.set(result, member);
      return member;
    },
    addAll: (context, into) => ready()(context, into),
    prepare: () => void ready(),
  };
}

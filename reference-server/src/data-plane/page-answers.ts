import type { Context, EvaluationResult, Evaluator, Flag } from '@flagsvc/sdk-core';
import {
  type AddMembers,
  append,
  createAddMembers,
  type FlagGroup,
  memberOf,
  type Pieces,
} from './flag-members.ts';
import type { Steps } from './heavy-work.ts';
import { type CaseTable, createCases } from './page-cases.ts';
import { FLAG_WORK_MAX, type Lengths, type PatternLoad, workOf } from './pattern-work.ts';

/** Members of the `evaluations` object, each written once per outcome (decision 0045). */
export interface PageAnswers {
  /** One flag's, as text. */
  member(flagKey: string, context: Context): string;
  /** Adds those of all flags of the page. */
  readonly addAll: AddMembers;
  /** Does the same in steps, none of which lets patterns read more than they may for one flag. */
  addInSteps(context: Context, lengths: Lengths, into: Pieces): Steps<void>;
  /** Makes what `addAll` needs before it is asked for. */
  prepare(): void;
}

/** What a page's patterns may read for its cases, which ask them twice; milliseconds at the most. */
const CASES_WORK_MAX = FLAG_WORK_MAX / 10;

/** What answers for all flags are made with. */
interface Ways {
  readonly sound: readonly Flag[];
  /** Each flag is evaluated once. */
  readonly addEach: AddMembers;
  readonly addByCases: AddMembers;
}

/** The evaluator has the flags of the page and those that they need. */
export function createPageAnswers(
  evaluator: Evaluator,
  { flags, needed, patterns }: Omit<FlagGroup, 'ruleset'> & { readonly patterns: PatternLoad },
  table: CaseTable,
): PageAnswers {
  const members = new Map<EvaluationResult, string>();
  let ways: Ways | undefined;
  const ready = (): Ways => {
    if (ways === undefined) {
      const { ruleset } = evaluator;
      const sound = flags.filter(({ key }) => evaluator.evaluate(key, {}).reason !== 'FLAG_NOT_FOUND');
      const group = { ruleset, flags: sound, needed };
      const addEach = createAddMembers(group);
      ways = { sound, addEach, addByCases: createCases(group, table, addEach) };
    }
    return ways;
  };

  const member = (flagKey: string, context: Context): string => {
    const result = evaluator.evaluate(flagKey, context);
    const known = members.get(result);
    if (known !== undefined) return known;
    const member = memberOf(flagKey, result);
    // All unknown keys share one result.
    if (result.reason !== 'FLAG_NOT_FOUND') members.set(result, member);
    return member;
  };

  return {
    member,
    addAll: (context, into) => ready().addByCases(context, into),
    *addInSteps(context, lengths, into) {
      const { sound, addEach, addByCases } = ready();
      const work = workOf(patterns.total, lengths);
      if (work <= FLAG_WORK_MAX) {
        (work <= CASES_WORK_MAX ? addByCases : addEach)(context, into);
        yield;
        return;
      }
      for (const { key } of sound) {
        append(into, Buffer.from(`,${member(key, context)}`));
        yield;
      }
    },
    prepare: () => void ready(),
  };
}

import type { Context, EvaluationResult, Evaluator } from '@flagsvc/sdk-core';
import type { Steps } from '../evaluate/heavy-work.ts';
import { FLAG_WORK_MAX, type Lengths, type PatternLoad, workOf } from '../evaluate/pattern-work.ts';
import {
  type AddMembers,
  append,
  createAddMembers,
  type FlagGroup,
  memberOf,
  type Pieces,
} from './flag-members.ts';
import { type CaseTable, createCases } from './outcome-cache.ts';

/** Members of the `evaluations` object, each written once per outcome (decisions/0038). */
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

/** The evaluator has the flags of the page and those that they need. */
export function createPageAnswers(
  evaluator: Evaluator,
  { flags, needed, patterns }: Omit<FlagGroup, 'ruleset'> & { readonly patterns: PatternLoad },
  table: CaseTable,
): PageAnswers {
  const members = new Map<EvaluationResult, string>();
  // Each is made when it is first needed: it prepares all patterns.
  const group = once((): FlagGroup => {
    const sound = flags.filter(({ key }) => evaluator.evaluate(key, {}).reason !== 'FLAG_NOT_FOUND');
    return { ruleset: evaluator.ruleset, flags: sound, needed };
  });
  const addEach = once(() => createAddMembers(group()));
  const addByCases = once(() => createCases(group(), table, addEach()));

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
    addAll: (context, into) => addByCases()(context, into),
    *addInSteps(context, lengths, into) {
      const work = workOf(patterns.total, lengths);
      if (work <= FLAG_WORK_MAX) {
        (work <= CASES_WORK_MAX ? addByCases() : addEach())(context, into);
        yield;
        return;
      }
      for (const { key } of flags) {
        if (evaluator.evaluate(key, {}).reason !== 'FLAG_NOT_FOUND')
          append(into, Buffer.from(`,${member(key, context)}`));
        yield;
      }
    },
    prepare: () => void addByCases(),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

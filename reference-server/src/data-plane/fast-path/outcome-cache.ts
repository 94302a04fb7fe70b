import type { Context, Flag } from '@flagsvc/sdk-core';
import { type AddMembers, createAddMembers, createAddVarying, type FlagGroup } from './flag-members.ts';
import { type Asked, findQuestions, placeFor, type Question, type Questions } from './rule-matchers.ts';

/** Cases that a page keeps; and the flags of all cases of a ruleset whose pages are made at one time. */
const CASES_MAX = 32;
const CASE_FLAGS_MAX = 64_000;
/** So many more answers than have found their case are in none that is kept, before a page stops looking. */
const MISSES_MAX = 1_000;

/** What the pages of a ruleset share to find their cases. */
export interface CaseTable {
  /** Cases that each page keeps. */
  readonly perPage: number;
  readonly questions: Questions;
}

/** Takes over the questions of the version before, unless most of them are of flags that are gone. */
export function createCaseTable(flagCount: number, previous?: CaseTable): CaseTable {
  const perPage = Math.min(CASES_MAX, Math.floor(CASE_FLAGS_MAX / Math.max(1, flagCount)));
  const questions = previous?.questions;
  return { perPage, questions: questions && questions.size <= 2 * flagCount ? questions : new Map() };
}

/** The cases, by the places of the rules that decide. */
interface Node {
  readonly ways: Node[];
  add: AddMembers | undefined;
}

/** All of them, and what writes one more. */
interface Cases extends Node {
  readonly write: () => AddMembers;
}

/**
 * Writes the members of a page's flags by cases (decisions/0038). Which rules decide hangs on conditions that many flags
 * ask and many users share, so that the same rules decide again and again; all but rollouts and prerequisites is known
 * then, and is written once. `addAll` writes what is in no case that is kept.
 */
export function createCases(group: FlagGroup, table: CaseTable, addAll: AddMembers): AddMembers {
  const asked = findQuestions(group, table.questions);
  const questions = [...new Set(Array.from(asked.values(), ({ question }) => question))];
  if (questions.length === 0) return addAll;
  let cases: Cases | undefined = { ways: [], add: undefined, write: createWriter(group, asked) };
  let kept = 0;
  let found = 0;
  let missed = 0;

  /** Of what the questions have been told last. */
  const keep = (from: Cases): void => {
    let node: Node = from;
    for (const { place } of questions) node = node.ways[place] ??= { ways: [], add: undefined };
    node.add = from.write();
    kept += 1;
  };

  return (context, into) => {
    if (cases === undefined) return addAll(context, into);
    const add = findCase(cases, questions, context, into.round);
    if (add !== undefined) {
      found += 1;
      return add(context, into);
    }
    if (kept === table.perPage) {
      missed += 1;
      if (missed > found + MISSES_MAX) cases = undefined;
    } else if (into.mayKeep) {
      into.mayKeep = false;
      keep(cases);
    }
    addAll(context, into);
  };
}

/** Asks all questions, even where it is clear that there is none: a new case needs every answer. */
function findCase(
  root: Node,
  questions: readonly Question[],
  context: Context,
  round: number,
): AddMembers | undefined {
  let node: Node | undefined = root;
  for (let index = 0; index < questions.length; index++) {
    const place = placeFor(questions[index]!, context, round);
    node = node?.ways[place];
  }
  return node?.add;
}

/** Makes what writes the case of which the questions have just heard. Cases with the same flags left share what writes these. */
function createWriter(group: FlagGroup, asked: ReadonlyMap<Flag, Asked>): () => AddMembers {
  const known = new Map<string, AddMembers>();
  const forVarying = (left: FlagGroup): AddMembers => {
    const name = JSON.stringify(left.flags.map(({ key, targeting_rules }) => [key, targeting_rules]));
    const addVarying = known.get(name) ?? createAddVarying(left);
    known.set(name, addVarying);
    return addVarying;
  };
  return () => {
    const flags = group.flags.map((flag) => leftOf(flag, asked.get(flag)));
    return createAddMembers({ ...group, flags }, forVarying);
  };
}

/** The flag with the rule alone that decides, and without its conditions. */
function leftOf(flag: Flag, asked: Asked | undefined): Flag {
  if (asked === undefined) return flag;
  const rule = asked.rules[asked.question.place - 1];
  return { ...flag, targeting_rules: rule === undefined ? [] : [{ ...rule, conditions: [] }] };
}

import { type Condition, OPERATORS, type TargetingRule } from '@flagsvc/sdk-core';

/** The conditions of each segment, by segment key. */
export type SegmentConditions = ReadonlyMap<string, readonly Condition[]>;

/** A rule that can never decide, and why. `index` counts in the order of evaluation. */
export type Unreachable =
  | {
      readonly code: 'rule-unreachable';
      readonly index: number;
      /** An earlier rule that matches whenever this one does. */
      readonly shadowedBy: number;
      /** Whether that earlier rule matches everyone. */
      readonly byEveryone: boolean;
    }
  | {
      readonly code: 'rule-never-matches';
      readonly index: number;
      /** The condition that never matches, or the two that exclude each other. */
      readonly conditions: readonly number[];
    };

/**
 * The rules that no context can reach. Reports only what is certain. Two `is` conditions with different values for one
 * attribute are not reported, because the attribute can be a list that matches both (EV-60). A rule that is covered
 * only by two earlier rules together is not found. Even a rollout below 100 % decides for everyone whom its rule
 * matches.
 */
export function findUnreachable(
  rules: readonly Pick<TargetingRule, 'conditions'>[],
  segments: SegmentConditions,
): readonly Unreachable[] {
  const work = { left: WORK_MAX };
  const all = rules.map(({ conditions }) => conditions.map((condition) => factOf(condition, segments)));
  const found: Unreachable[] = [];
  /** The facts of the rules that can match. */
  const matchable: { readonly index: number; readonly needed: readonly Fact[] }[] = [];
  for (const [index, facts] of all.entries()) {
    const impossible = impossibleIn(facts, work);
    if (impossible !== undefined) {
      found.push({ code: 'rule-never-matches', index, conditions: impossible });
      continue;
    }
    const shadow = matchable.find(({ needed }) =>
      needed.every((fact) => facts.some((own) => implies(own, fact, work))),
    );
    if (shadow !== undefined) {
      const { index: shadowedBy, needed } = shadow;
      found.push({ code: 'rule-unreachable', index, shadowedBy, byEveryone: needed.length === 0 });
    }
    matchable.push({ index, needed: facts.filter(({ kind }) => kind !== 'always') });
  }
  return found;
}

/**
 * Maximum number of values compared for one flag, which takes a few milliseconds. Beyond it, nothing more is reported.
 */
const WORK_MAX = 250_000;
interface Work {
  left: number;
}

/** What a condition requires of the context. `in` and `out` are about an attribute's values, or the user's segments. */
interface Fact {
  readonly kind: 'always' | 'never' | 'in' | 'out' | 'gt' | 'lt' | 'other';
  readonly attribute: string;
  readonly values: ReadonlySet<string>;
  readonly bound: number;
  /** The whole condition, for kinds that are only compared for equality. */
  readonly text: string;
}

const SETS: Partial<Record<string, 'in' | 'out'>> = {
  is: 'in',
  one_of: 'in',
  is_not: 'out',
  not_one_of: 'out',
};
const NOTHING: ReadonlySet<string> = new Set();

function factOf(condition: Condition, segments?: SegmentConditions): Fact {
  const { attribute, operator, value } = condition;
  const fact = (kind: Fact['kind'], values = NOTHING, bound = 0): Fact => {
    const text = JSON.stringify([attribute, operator, typeof value === 'number' ? String(value) : value]);
    return { kind, attribute, values, bound, text };
  };
  if (!OPERATORS.includes(operator)) return fact('never');
  const set = SETS[operator];
  if (set !== undefined) {
    const isList = operator === 'one_of' || operator === 'not_one_of';
    if (Array.isArray(value) !== isList) return fact('never');
    const values = new Set([value].flat().filter(isScalar).map(String));
    if (attribute === '$segment') {
      // A segment inside a segment never matches: segments do not nest (EV-115).
      return segments === undefined ? fact('never') : fact(...membership(set, values, segments));
    }
    if (values.size === 0 && (set === 'in' || !isList)) return fact('never');
    return fact(set, values);
  }
  // `$segment` only supports the operators of membership (EV-114).
  if (attribute === '$segment') return fact('never');
  if ((operator === 'gt' || operator === 'lt') && typeof value === 'number') {
    return fact(operator, NOTHING, value);
  }
  return fact('other');
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** The kind and values of a condition on segments. An unknown segment has no members. */
function membership(
  set: 'in' | 'out',
  keys: ReadonlySet<string>,
  segments: SegmentConditions,
): readonly [kind: Fact['kind'], values?: ReadonlySet<string>] {
  const members = new Set([...keys].filter((key) => hasMembers(segments.get(key))));
  const holdsEveryone = [...members].some((key) => segments.get(key)!.length === 0);
  if (holdsEveryone) return [set === 'in' ? 'always' : 'never'];
  if (members.size === 0) return [set === 'in' ? 'never' : 'always'];
  return [set, members];
}

function hasMembers(conditions: readonly Condition[] | undefined): boolean {
  if (conditions === undefined) return false;
  const facts = conditions.map((condition) => factOf(condition));
  return impossibleIn(facts, { left: WORK_MAX }) === undefined;
}

/** The positions of the conditions that prevent a rule from ever matching; undefined if it can match. */
function impossibleIn(facts: readonly Fact[], work: Work): readonly number[] | undefined {
  const never = facts.findIndex(({ kind }) => kind === 'never');
  if (never >= 0) return [never];
  for (const [index, one] of facts.entries()) {
    const contrary = facts.findIndex((other) => excludes(one, other, work));
    if (contrary >= 0) return [index, contrary].sort((left, right) => left - right);
  }
  return undefined;
}

/** Whether the two facts can never both hold, even if the value is a list. */
function excludes(one: Fact, other: Fact, work: Work): boolean {
  if (one.attribute !== other.attribute) return false;
  if (one.kind === 'in' && other.kind === 'out') return isSubset(one.values, other.values, work);
  return one.kind === 'other' && other.kind === 'other' && one.text === contraryOf(other);
}

/** The text of the `contains` fact that a `not_contains` fact negates; empty for other facts. */
function contraryOf({ text }: Fact): string {
  const [attribute, operator, value] = JSON.parse(text) as [string, string, unknown];
  return operator === 'not_contains' ? JSON.stringify([attribute, 'contains', value]) : '';
}

/** Whether every context for which `one` holds also satisfies `other`. */
function implies(one: Fact, other: Fact, work: Work): boolean {
  if (one.attribute !== other.attribute || one.kind !== other.kind) return false;
  switch (other.kind) {
    case 'in':
      return isSubset(one.values, other.values, work);
    case 'out':
      return isSubset(other.values, one.values, work);
    case 'gt':
      return one.bound >= other.bound;
    case 'lt':
      return one.bound <= other.bound;
    default:
      return one.text === other.text;
  }
}

function isSubset(small: ReadonlySet<string>, large: ReadonlySet<string>, work: Work): boolean {
  if (small.size > large.size || work.left < small.size) return false;
  work.left -= small.size;
  for (const value of small) if (!large.has(value)) return false;
  return true;
}

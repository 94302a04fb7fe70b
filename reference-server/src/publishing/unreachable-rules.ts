import { type Condition, OPERATORS, type TargetingRule } from '@flagsvc/sdk-core';

/** Conditions by the key of their segment, as a ruleset has them. */
export type SegmentConditions = ReadonlyMap<string, readonly Condition[]>;

/** A rule that can never decide, by its place in the order of evaluation, and why. */
export type Unreachable =
  | {
      readonly code: 'rule-unreachable';
      readonly index: number;
      /** The rule before it that matches whenever this one does. */
      readonly shadowedBy: number;
      /** Whether that rule matches everyone. */
      readonly byEveryone: boolean;
    }
  | {
      readonly code: 'rule-never-matches';
      readonly index: number;
      /** The condition that matches nobody, or the two that exclude each other. */
      readonly conditions: readonly number[];
    };

/**
 * The rules that no context whatever can reach. Only what is certain is found: an attribute can be a list, so that two
 * `is` on it hold together (EV-60), and two rules that cover a third only together are not seen. A rollout
 * decides for everyone its rule matches, also at less than 100 % (decisions/0006).
 */
export function findUnreachable(
  rules: readonly Pick<TargetingRule, 'conditions'>[],
  segments: SegmentConditions,
): readonly Unreachable[] {
  const work = { left: WORK_MAX };
  const all = rules.map(({ conditions }) => conditions.map((condition) => factOf(condition, segments)));
  const found: Unreachable[] = [];
  /** The facts of the rules that somebody can match, by place. */
  const live: { readonly index: number; readonly needed: readonly Fact[] }[] = [];
  for (const [index, facts] of all.entries()) {
    const impossible = impossibleIn(facts, work);
    if (impossible !== undefined) {
      found.push({ code: 'rule-never-matches', index, conditions: impossible });
      continue;
    }
    const shadow = live.find(({ needed }) =>
      needed.every((fact) => facts.some((own) => implies(own, fact, work))),
    );
    if (shadow !== undefined) {
      const { index: shadowedBy, needed } = shadow;
      found.push({ code: 'rule-unreachable', index, shadowedBy, byEveryone: needed.length === 0 });
    }
    live.push({ index, needed: facts.filter(({ kind }) => kind !== 'always') });
  }
  return found;
}

/** Values compared for one flag, beyond which nothing more is claimed: a few milliseconds. */
const WORK_MAX = 250_000;
interface Work {
  left: number;
}

/** What a condition needs of a context. `in` and `out` are of an attribute's texts, or of a user's segments. */
interface Fact {
  readonly kind: 'always' | 'never' | 'in' | 'out' | 'gt' | 'lt' | 'other';
  readonly attribute: string;
  readonly values: ReadonlySet<string>;
  readonly bound: number;
  /** The whole condition, for those that are only compared for being the same. */
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
    if (attribute === '$segment') return membership(set, values, segments, fact);
    if (values.size === 0 && (set === 'in' || !isList)) return fact('never');
    return fact(set, values);
  }
  // Segments are only asked for membership (EV-114).
  if (attribute === '$segment') return fact('never');
  if ((operator === 'gt' || operator === 'lt') && typeof value === 'number') {
    return fact(operator, NOTHING, value);
  }
  return fact('other');
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** An unknown segment has no members, nor has any inside of a segment: they do not nest (EV-115). */
function membership(
  set: 'in' | 'out',
  keys: ReadonlySet<string>,
  segments: SegmentConditions | undefined,
  fact: (kind: Fact['kind'], values?: ReadonlySet<string>) => Fact,
): Fact {
  if (segments === undefined) return fact('never');
  const members = new Set([...keys].filter((key) => hasMembers(segments.get(key))));
  const holdsEveryone = [...members].some((key) => segments.get(key)!.length === 0);
  if (holdsEveryone) return fact(set === 'in' ? 'always' : 'never');
  if (members.size === 0) return fact(set === 'in' ? 'never' : 'always');
  return fact(set, members);
}

function hasMembers(conditions: readonly Condition[] | undefined): boolean {
  if (conditions === undefined) return false;
  const facts = conditions.map((condition) => factOf(condition));
  return impossibleIn(facts, { left: WORK_MAX }) === undefined;
}

/** The places of the conditions that make a rule match nobody; undefined where somebody may match it. */
function impossibleIn(facts: readonly Fact[], work: Work): readonly number[] | undefined {
  const never = facts.findIndex(({ kind }) => kind === 'never');
  if (never >= 0) return [never];
  for (const [index, one] of facts.entries()) {
    const contrary = facts.findIndex((other) => excludes(one, other, work));
    if (contrary >= 0) return [index, contrary].sort((left, right) => left - right);
  }
  return undefined;
}

/** Whether no value is in one and out of the other: a list that has one of the former has one of the latter. */
function excludes(one: Fact, other: Fact, work: Work): boolean {
  if (one.attribute !== other.attribute) return false;
  if (one.kind === 'in' && other.kind === 'out') return isSubset(one.values, other.values, work);
  return one.kind === 'other' && other.kind === 'other' && one.text === contraryOf(other);
}

/** `contains` for `not_contains`; the other negations are sets. */
function contraryOf({ text }: Fact): string {
  const [attribute, operator, value] = JSON.parse(text) as [string, string, unknown];
  return operator === 'not_contains' ? JSON.stringify([attribute, 'contains', value]) : '';
}

/** Whether every context that has the one has the other. */
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

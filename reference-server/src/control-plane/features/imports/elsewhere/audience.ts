import type { ConditionInput } from '../../targeting/condition-schema.ts';
import type { SegmentBook } from './segment-book.ts';

/** Conditions that must all match. */
export type Conditions = readonly ConditionInput[];
/** Lists of conditions of which one must match. */
export type Alternatives = readonly Conditions[];

/**
 * The users of a foreign rule, between two bounds: every user of `sure` is one of them, and every one of them is in
 * `possible`. Both are the same list when our conditions express the rule exactly.
 */
export interface Audience {
  readonly sure: Alternatives;
  readonly possible: Alternatives;
}

/** More alternatives than a flag can have rules are not worth writing. */
const ALTERNATIVES_MAX = 50;
const CONDITIONS_MAX = 20;
const PRODUCT_MAX = 2_500;

export const exactly = (alternatives: Alternatives): Audience => bounds(alternatives, alternatives);
export const between = (sure: Alternatives, possible: Alternatives): Audience => bounds(sure, possible);
export const EVERYONE = exactly([[]]);
export const NOBODY = exactly([]);
/** The users of a condition that our conditions cannot express at all. */
export const UNKNOWN = between([], [[]]);

export const isExact = ({ sure, possible }: Audience): boolean => sure === possible;

/** The users that are in every one of the audiences. */
export function allOf(parts: readonly Audience[]): Audience {
  return join(parts, (lists, overflow) => crossAll(lists, overflow));
}

/** The users that are in at least one of the audiences. */
export function anyOf(parts: readonly Audience[]): Audience {
  return join(parts, (lists) => lists.flat());
}

/** Everybody else: users without the attributes, too. */
export function noneOf(audience: Audience, book: SegmentBook): Audience {
  const sure = complement(audience.possible, book, 'nobody');
  const possible = complement(audience.sure, book, 'everyone');
  return isExact(audience) && isSame(sure, possible) ? bounds(sure, sure) : bounds(sure, possible);
}

/** What replaces a product of alternatives that is too long to be computed. */
type Overflow = 'nobody' | 'everyone';

function join(
  parts: readonly Audience[],
  make: (lists: readonly Alternatives[], overflow: Overflow) => Alternatives,
): Audience {
  const sure = make(
    parts.map((part) => part.sure),
    'nobody',
  );
  const possible = make(
    parts.map((part) => part.possible),
    'everyone',
  );
  return parts.every(isExact) && isSame(sure, possible) ? bounds(sure, sure) : bounds(sure, possible);
}

/** Keeps both lists within what a flag can hold: `sure` loses users, `possible` gains some. */
function bounds(sure: Alternatives, possible: Alternatives): Audience {
  const [low, high] = [tidy(sure), sure === possible ? undefined : tidy(possible)];
  const fits = low.every((one) => one.length <= CONDITIONS_MAX) && low.length <= ALTERNATIVES_MAX;
  if (fits && (high === undefined || isSame(low, high))) return { sure: low, possible: low };
  const widest = high ?? low;
  return {
    sure: low.filter((one) => one.length <= CONDITIONS_MAX).slice(0, ALTERNATIVES_MAX),
    possible:
      widest.length > ALTERNATIVES_MAX ? [[]] : tidy(widest.map((one) => one.slice(0, CONDITIONS_MAX))),
  };
}

/** Without repetitions; one alternative without conditions makes all others superfluous. */
function tidy(alternatives: Alternatives): Alternatives {
  const lists = alternatives.map((one) => distinct(one));
  return lists.find((one) => one.length === 0) ? [[]] : distinct(lists);
}

function distinct<T>(values: readonly T[]): readonly T[] {
  const known = new Map(values.map((one) => [JSON.stringify(one), one] as const));
  return known.size === values.length ? values : [...known.values()];
}

function isSame(one: Alternatives, other: Alternatives): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The alternatives of a conjunction: one of each list. */
function crossAll(lists: readonly Alternatives[], overflow: Overflow): Alternatives {
  let product: Alternatives = [[]];
  for (const list of lists) {
    if (product.length * list.length > PRODUCT_MAX) return overflow === 'nobody' ? [] : [[]];
    product = product.flatMap((left) => list.map((right) => [...left, ...right]));
  }
  return product;
}

/**
 * Everybody outside the alternatives. A negative condition would leave out users without the attribute, so a segment
 * holds the conditions, and the rule names those who are not its members.
 */
function complement(alternatives: Alternatives, book: SegmentBook, overflow: Overflow): Alternatives {
  const pure = alternatives.filter((one) => one.every(({ attribute }) => attribute !== '$segment'));
  if (pure.some((one) => one.length === 0)) return [];
  const outside: Alternatives =
    pure.length === 0 ? [[]] : [[segment('not_one_of', distinct(pure.map((one) => book.hold(one))))]];
  const mixed = alternatives
    .filter((one) => !pure.includes(one))
    .map((one) => one.map((condition) => [flip(condition, book)]));
  return crossAll([outside, ...mixed], overflow);
}

const segment = (operator: 'one_of' | 'not_one_of', keys: readonly string[]): ConditionInput => ({
  attribute: '$segment',
  operator,
  value: [...keys],
});

function flip(condition: ConditionInput, book: SegmentBook): ConditionInput {
  const { attribute, operator, value } = condition;
  if (attribute !== '$segment') return segment('not_one_of', [book.hold([condition])]);
  return segment(operator === 'one_of' ? 'not_one_of' : 'one_of', value as string[]);
}

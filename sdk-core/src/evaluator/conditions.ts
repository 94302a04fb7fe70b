/**
 * The eleven operators: a condition is prepared once and asked often. Ignorance never widens an audience: what
 * is missing, of another shape or unknown never matches, whether the operator is positive or negative
 * (EV-54 to EV-56 and EV-60 to EV-80).
 */
import { KNOWN_LENGTH, KNOWN_TEXTS } from '../protocol/limits.ts';
import { type Condition, type Context, OPERATORS } from '../protocol/protocol.ts';
import { compilePattern } from './pattern.ts';
import { compareVersion } from './semver.ts';

type Scalar = string | number | boolean;
export type Attributes = NonNullable<Context['attributes']>;

/** A condition, prepared; those that must all match are a chain, which is quicker to follow than an array. */
export interface Step {
  readonly condition: Condition;
  /** The positive operator, as its index in `OPERATORS`; or `NEVER` or `SEGMENT`. */
  readonly ask: number;
  readonly attribute: string;
  /** The condition's value as `ask` wants it. */
  readonly operand: unknown;
  /** A negative operator matches where its positive twin does not. */
  readonly negative: boolean;
  readonly next: Step | undefined;
}

/** The first condition of each segment, by its key; undefined for a segment without conditions. */
export type Segments = ReadonlyMap<unknown, Step | undefined>;

/** The positive operators, by their place in `OPERATORS`; the negative twins of the first three stand behind them. */
const IS = 0;
const CONTAINS = 2;
const ONE_OF = 4;
const GT = 6;
const LT = 7;
const MATCHES_REGEX = 8;
const VERSION_GT = 9;
/** No operators. */
const NEVER = -1;
const SEGMENT = -2;

const DECIMAL = /^[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i;

/** `Object.hasOwn` in one call less. */
const hasOwn = Object.prototype.hasOwnProperty;

/** An attribute's value: own properties only, and the context's user key under its name (EV-57 to EV-59). */
export function read(attributes: Attributes, name: string, context: Context): unknown {
  return hasOwn.call(attributes, name) ? attributes[name] : name === 'user_key' ? userOf(context) : undefined;
}

/** The user key; undefined where there is none to be read. */
export function userOf(context: Context): string | undefined {
  try {
    const { user_key } = context;
    return typeof user_key === 'string' ? user_key : undefined;
  } catch {
    return undefined;
  }
}

/** Texts, booleans and finite numbers; nothing else has a text. */
export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Each code point between blanks, so that half a surrogate pair is not found in a whole one. */
const spaced = (text: string): string => [...text].map((char) => ` ${char} `).join('');
const HALVED = /\p{Cs}/u;

/** Whether a text contains one that has half a surrogate pair in it. */
function containsHalf(part: string): (text: string) => boolean {
  const wanted = spaced(part);
  return (text) => spaced(text).includes(wanted);
}

/** A scalar's text. A text is asked for first, as the machine calls `String` for one as well. */
export const textOf = (value: Scalar): string => (typeof value === 'string' ? value : String(value));

/** A number, or a text that is all one decimal number; else NaN (EV-77). */
function toNumber(value: Scalar): number {
  const number = typeof value === 'number' || DECIMAL.test(String(value)) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : NaN;
}

/** Versions and patterns meet the same texts again and again, so the last answers are remembered. */
function remember(ask: ((text: string) => boolean) | undefined): ((text: string) => boolean) | undefined {
  const known = new Map<string, boolean>();
  if (!ask) return ask;
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined) {
      answer = ask(text);
      if (text.length > KNOWN_LENGTH) return answer;
      if (known.size >= KNOWN_TEXTS) known.clear();
      known.set(text, answer);
    }
    return answer;
  };
}

/** The condition's value as `ask` wants it; undefined when it has the wrong shape. */
function operandOf(ask: number, value: unknown): unknown {
  if (ask === ONE_OF) return Array.isArray(value) ? new Set(value.filter(isScalar).map(String)) : undefined;
  if (!isScalar(value) || ask < IS) return undefined;
  if (ask === GT || ask === LT) return toNumber(value);
  const text = String(value);
  if (ask === MATCHES_REGEX) return remember(compilePattern(text));
  if (ask === CONTAINS && HALVED.test(text)) return containsHalf(text);
  if (ask < GT) return text;
  return text === value ? remember(compareVersion(text, ask === VERSION_GT)) : undefined;
}

/** Prepares conditions. Without segments, `$segment` never matches: segments do not nest (EV-115). */
export function prepareAll(conditions: readonly Condition[], segments?: Segments): Step | undefined {
  return conditions.reduceRight<Step | undefined>((next, condition) => {
    const { attribute, operator, value } = condition;
    const index = OPERATORS.indexOf(operator);
    const negative = index < GT && index % 2 > 0;
    let ask = negative ? index - 1 : index;
    let operand = operandOf(ask, value);
    if (attribute === '$segment') {
      const keys = ask === IS ? [operand] : ask === ONE_OF && operand;
      operand =
        segments && keys && operand !== undefined
          ? [...(keys as Iterable<unknown>)]
              .filter((key) => segments.has(key))
              .map((key) => segments.get(key))
          : undefined;
      ask = SEGMENT;
    }
    if (operand === undefined) ask = NEVER;
    return { condition, ask, attribute, operand, negative: negative && ask !== NEVER, next };
  }, undefined);
}

/** The positive question. */
function holds(ask: number, operand: unknown, value: Scalar): boolean {
  // The usual question comes first.
  if (ask === IS) return textOf(value) === operand;
  switch (ask) {
    case ONE_OF:
      return (operand as Set<string>).has(textOf(value));
    case CONTAINS:
      if (typeof operand === 'string') return textOf(value).includes(operand);
      break;
    case GT:
      return toNumber(value) > (operand as number);
    case LT:
      return toNumber(value) < (operand as number);
    case NEVER:
      return false;
  }
  // What is left asks a text; versions no other scalar.
  return (
    (ask <= MATCHES_REGEX || typeof value === 'string') &&
    (operand as (text: string) => boolean)(textOf(value))
  );
}

/** Whether the condition matches a value. A list asks its scalars; a missing value never matches. */
function matches({ ask, operand, negative }: Step, value: unknown): boolean {
  if (isScalar(value)) return holds(ask, operand, value) !== negative;
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++)
    if (isScalar(value[i]) && holds(ask, operand, value[i])) return !negative;
  return negative;
}

/** Whether the condition matches a context. This is the evaluator's innermost place. */
function meets(step: Step, attributes: Attributes, context: Context): boolean {
  const { ask, attribute, operand, negative } = step;
  if (ask === SEGMENT) return isMember(operand as Members, attributes, context) !== negative;
  const value = read(attributes, attribute, context);
  // Most attributes are texts.
  if (typeof value === 'string') return holds(ask, operand, value) !== negative;
  return matches(step, value);
}

/** The first condition that does not match, or undefined. Compared with undefined, as a test for truth has more to ask. */
export function firstUnmet(
  first: Step | undefined,
  attributes: Attributes,
  context: Context,
): Step | undefined {
  let step = first;
  while (step !== undefined && meets(step, attributes, context)) step = step.next;
  return step;
}

/** What the segments ask that exist. */
type Members = readonly (Step | undefined)[];

/** Whether all conditions of one of the segments match. Apart, because a closure costs what it lies in. */
function isMember(segments: Members, attributes: Attributes, context: Context): boolean {
  return segments.some((first) => !firstUnmet(first, attributes, context));
}

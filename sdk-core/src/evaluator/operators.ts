/**
 * The table of the eleven operators: how each parses a condition's value, and how it tests an attribute (EV-65 to EV-86).
 */
import { KNOWN_LENGTH, KNOWN_TEXTS } from '../protocol/limits.ts';
import type { Operator } from '../protocol/protocol.ts';
import { isScalar, type Scalar } from '../protocol/value-types.ts';
import { compilePattern } from './pattern.ts';
import { compareVersion } from './semver.ts';

type TextMatcher = (text: string) => boolean;

/** How an operator parses a condition's value and tests an attribute. */
export interface Operation {
  /** Parses the condition's value to the operand of `test`; undefined if the value has the wrong shape. */
  readonly parse: (value: unknown) => unknown;
  /** Tests one scalar of the attribute. */
  readonly test: (value: Scalar, operand: never) => boolean;
  /** True for a negative operator, which matches if `test` does not. Default false. */
  readonly isNegative?: true;
}

/** An operation's test and its operand. */
export interface PreparedTest extends Pick<Operation, 'test'> {
  readonly operand: unknown;
}

/** A scalar's text. Skips the call of `String` for strings. */
export const textOf = (value: Scalar): string => (typeof value === 'string' ? value : String(value));

const DECIMAL = /^[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i;

/** The scalar as a number, if it is a number or a decimal text; otherwise NaN, so that every comparison is false. */
const toNumber = (value: Scalar): number => {
  const number = typeof value === 'number' || DECIMAL.test(String(value)) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : NaN;
};

/** Puts spaces around each code point, so that half a surrogate pair is not found inside a whole one. */
const spaced = (text: string): string => [...text].map((char) => ` ${char} `).join('');
// Not `\p{Cs}`, which Hermes refuses when it loads the module.
const HALF_PAIR = /[\ud800-\udfff]/u;

/** Returns a function that tests whether a text contains `part`, by code points. */
const containsPart = (part: string): TextMatcher => {
  if (!HALF_PAIR.test(part)) return (text) => text.includes(part);
  const spacedPart = spaced(part);
  return (text) => spaced(text).includes(spacedPart);
};

/** Caches answers by text, because services meet the same versions, hosts and users again and again. */
const remember = (matches: TextMatcher | undefined): TextMatcher | undefined => {
  if (!matches) return undefined;
  const known = new Map<string, boolean>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined) {
      answer = matches(text);
      if (text.length > KNOWN_LENGTH) return answer;
      if (known.size >= KNOWN_TEXTS) known.clear();
      known.set(text, answer);
    }
    return answer;
  };
};

/** Returns a function that parses a scalar's text, and returns undefined for any other value. @__NO_SIDE_EFFECTS__ */
const scalar =
  <Operand>(parse: (text: string) => Operand) =>
  (value: unknown): Operand | undefined =>
    isScalar(value) ? parse(String(value)) : undefined;

const parseText = /* @__PURE__ */ scalar((text) => text);
const parseNumber = /* @__PURE__ */ scalar(toNumber);
const parsePart = /* @__PURE__ */ scalar(containsPart);
const parsePattern = /* @__PURE__ */ scalar((text) => remember(compilePattern(text)));

const parseList = (value: unknown): Set<string> | undefined =>
  Array.isArray(value) ? new Set(value.filter(isScalar).map(String)) : undefined;

/** Parses a version. Only strings are versions, because the number 1.10 is 1.1. */
const parseVersion = (value: unknown, isAbove: boolean): TextMatcher | undefined =>
  typeof value === 'string' ? remember(compareVersion(value, isAbove)) : undefined;

const isEqual = (value: Scalar, text: string): boolean => textOf(value) === text;
const isOneOf = (value: Scalar, texts: Set<string>): boolean => texts.has(textOf(value));
const isGreater = (value: Scalar, bound: number): boolean => toNumber(value) > bound;
const isLess = (value: Scalar, bound: number): boolean => toNumber(value) < bound;
const matchesText = (value: Scalar, matches: TextMatcher): boolean => matches(textOf(value));
const matchesVersion = (value: Scalar, matches: TextMatcher): boolean =>
  typeof value === 'string' && matches(value);

const OPERATIONS: { readonly [name in Operator]: Operation } = {
  is: { parse: parseText, test: isEqual },
  is_not: { parse: parseText, test: isEqual, isNegative: true },
  contains: { parse: parsePart, test: matchesText },
  not_contains: { parse: parsePart, test: matchesText, isNegative: true },
  one_of: { parse: parseList, test: isOneOf },
  not_one_of: { parse: parseList, test: isOneOf, isNegative: true },
  gt: { parse: parseNumber, test: isGreater },
  lt: { parse: parseNumber, test: isLess },
  matches_regex: { parse: parsePattern, test: matchesText },
  version_gt: { parse: (value) => parseVersion(value, true), test: matchesVersion },
  version_lt: { parse: (value) => parseVersion(value, false), test: matchesVersion },
};

/** The names of all operators, in the order of the specification. */
export const OPERATORS = /* @__PURE__ */ Object.keys(OPERATIONS) as readonly Operator[];

/** The operation of unknown operators and of values with the wrong shape: it never matches. */
export const NEVER: Operation = { parse: () => undefined, test: () => false };

/** The operation of that name; `NEVER` for any other name, such as `constructor`. */
export const operationOf = (operator: Operator): Operation =>
  Object.hasOwn(OPERATIONS, operator) ? OPERATIONS[operator] : NEVER;

/** True for `is`, `one_of` and their negative forms. */
export const comparesTexts = ({ test }: Operation): boolean => test === isEqual || test === isOneOf;

/**
 * The texts with which `is`, `one_of` or one of their negative forms compares an attribute, taken from the operand.
 * Undefined for any other operation, and if the condition's value has the wrong shape.
 */
export const comparedTexts = ({ test }: Operation, operand: unknown): readonly string[] | undefined => {
  if (operand === undefined) return undefined;
  if (test === isEqual) return [operand as string];
  return test === isOneOf ? [...(operand as Set<string>)] : undefined;
};

/** Tests one scalar. Calls common operators by name, because engines inline such calls but not those through a table. */
export const testScalar = ({ test, operand }: PreparedTest, value: Scalar): boolean => {
  if (test === isEqual) return isEqual(value, operand as string);
  if (test === isOneOf) return isOneOf(value, operand as Set<string>);
  if (test === matchesText) return matchesText(value, operand as TextMatcher);
  if (test === matchesVersion) return matchesVersion(value, operand as TextMatcher);
  return test(value, operand as never);
};

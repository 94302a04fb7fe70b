import type { Condition } from '@flagsvc/sdk-core';
import { allOf, anyOf, type Bounds, exactly, type Logic, mapBounds, not, UNKNOWN } from './json-logic.ts';

type Scalar = string | number | boolean;

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The element under test inside `some`. flagd's own operators, such as `starts_with`, fail there. */
const ELEMENT = { var: '' };
/** The element as text. The second part is needed: flagd's interpreter fails on `cat` of null alone. */
const AS_TEXT = { cat: [ELEMENT, ''] };
/** JSONLogic cannot ask for a type, but only a text is strictly equal to itself converted to text. */
const IS_TEXT = { '===': [ELEMENT, AS_TEXT] };
const IS_BOOLEAN = { in: [ELEMENT, [true, false]] };

/** Whether the character at an index is one of `characters`; a negative index counts from the end. */
const hasAt = (text: Logic, index: number, characters: string): Logic => ({
  in: [{ substr: [text, index, 1] }, characters],
});

/**
 * Whether the element is a number: it is not a text, has nothing at index 0, and begins like a number when converted to
 * text. A list fails this test, because it has an element at index 0 or is empty; the text of an empty list does not
 * begin like a number.
 */
const IS_NUMBER = allOf([
  not(IS_TEXT),
  { '===': [{ var: '0' }, null] },
  { '!==': [AS_TEXT, ''] },
  hasAt(AS_TEXT, 0, `-${DIGITS}`),
]);
const IS_SCALAR = anyOf([IS_TEXT, IS_BOOLEAN, IS_NUMBER]);

const LONE_SURROGATE = /\p{Cs}/u;

/** The user key as a condition reads it: an attribute `user_key` takes precedence over the context's key (EV-59). */
export const USER_KEY = { if: [{ missing: ['user_key'] }, { var: 'targetingKey' }, { var: 'user_key' }] };

/**
 * Logic that reads the attribute; undefined for a name that flagd cannot read. flagd takes names as paths, uses
 * `targetingKey` for the user key, and its JavaScript evaluator drops `__proto__`.
 */
function readAttribute(name: string): Logic | undefined {
  if (name === 'user_key') return USER_KEY;
  if (name === '' || name === 'targetingKey' || name === '__proto__') return undefined;
  return /^\$|[.\\]/.test(name) ? undefined : { var: name };
}

/** Whether a scalar, or any element of a list, passes the test (EV-60). */
const some = (value: Logic, test: Logic): Logic =>
  typeof test === 'boolean' ? test : { some: [{ merge: [value] }, test] };

const NEGATIVE: Partial<Record<Condition['operator'], Condition['operator']>> = {
  is_not: 'is',
  not_contains: 'contains',
  not_one_of: 'one_of',
};

/** A condition on an attribute as flagd's logic; `UNKNOWN` when flagd cannot read the attribute. */
export function writeCondition({ attribute, operator, value: operand }: Condition): Bounds {
  const value = readAttribute(attribute);
  if (value === undefined) return UNKNOWN;
  const isPresent = { '!==': [value, null] };
  if (operator === 'version_gt' || operator === 'version_lt') {
    const version = versionBounds(value, operator === 'version_gt', String(operand));
    return version === UNKNOWN ? { sure: false, possible: isPresent } : version;
  }
  const positive = NEGATIVE[operator];
  const ofElement = elementBounds(positive ?? operator, operand as Scalar | readonly Scalar[]);
  const bounds = mapBounds(ofElement, (logic) => some(value, logic));
  if (positive === undefined)
    return { ...bounds, possible: bounds.possible === true ? isPresent : bounds.possible };
  // A list without scalars matches as well, but flagd cannot tell it from an object, which does not match.
  const isScalar = some(value, IS_SCALAR);
  return {
    // `isPresent` marks this as a negation: without it, an import would read "contains the empty text".
    sure: allOf(bounds.possible === false ? [isPresent, isScalar] : [isScalar, not(bounds.possible)]),
    possible: allOf([isPresent, not(bounds.sure)]),
  };
}

/** The test of a single element by an operator that is not a negation. */
function elementBounds(operator: Condition['operator'], operand: Scalar | readonly Scalar[]): Bounds {
  switch (operator) {
    case 'is':
      return exactly(equals(operand as Scalar));
    case 'one_of':
      return exactly(equalsOneOf(operand as readonly Scalar[]));
    case 'contains':
      return containsBounds(String(operand));
    case 'gt':
    case 'lt':
      return numberBounds(operator === 'gt' ? '>' : '<', Number(operand));
    case 'matches_regex':
      return patternBounds(String(operand));
    default:
      return UNKNOWN;
  }
}

/** The number or boolean that is written as `text`, if there is one. Our operators treat it as equal to the text (EV-69); flagd does not. */
function sameAsText(text: string): readonly Scalar[] {
  if (text === 'true' || text === 'false') return [text === 'true'];
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? [number] : [];
}

const isEqual = (value: Scalar): Logic => ({ '===': [ELEMENT, value] });

/** The given value comes first, so that an import reads back the same type. */
const equals = (value: Scalar): Logic =>
  anyOf([...new Set([value, String(value), ...sameAsText(String(value))])].map(isEqual));

function equalsOneOf(values: readonly Scalar[]): Logic {
  const texts = [...new Set(values.map(String))];
  if (texts.length === 0) return false;
  return anyOf([allOf([IS_TEXT, { in: [ELEMENT, texts] }]), ...texts.flatMap(sameAsText).map(isEqual)]);
}

const containsBounds = (part: string): Bounds =>
  textBounds(
    part,
    (text) => text.includes(part),
    (text) => ({ in: [part, text] }),
  );

/**
 * A test of the element's text that looks for `part`. `matches` tests a known text; `write` makes the logic that tests
 * the element's text.
 */
function textBounds(part: string, matches: (text: string) => boolean, write: (text: Logic) => Logic): Bounds {
  if (part === '') return exactly(IS_SCALAR);
  // flagd finds half a surrogate pair inside a whole one, but our operators do not (EV-73).
  if (LONE_SURROGATE.test(part)) return UNKNOWN;
  const booleans = [true, false].filter((one) => matches(String(one))).map(isEqual);
  const isInNumbers = part.length <= 25 && /^[-+.e0-9]*$/.test(part);
  return exactly(
    anyOf([
      allOf([IS_TEXT, write(ELEMENT)]),
      ...booleans,
      isInNumbers ? allOf([IS_NUMBER, write(AS_TEXT)]) : false,
    ]),
  );
}

/**
 * Here, texts that are decimals match as well. The logic cannot compare texts, because JSONLogic fails on a text that
 * is not a decimal.
 */
function numberBounds(comparison: '<' | '>', bound: number): Bounds {
  const sure = allOf([IS_NUMBER, { [comparison]: [ELEMENT, bound] }]);
  const mayBeDecimal = allOf([IS_TEXT, { '!==': [ELEMENT, ''] }, hasAt(ELEMENT, 0, `+-.${DIGITS}`)]);
  return { sure, possible: anyOf([sure, mayBeDecimal]) };
}

const VERSION = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+].*)?$/i;

/** Whether a text begins as our versions do: with a digit, or with one `v` and a digit. flagd also accepts surrounding spaces and a second `v`. */
const beginsAsVersion = (text: Logic): Logic =>
  allOf([
    { '!==': [text, ''] },
    anyOf([hasAt(text, 0, DIGITS), allOf([hasAt(text, 0, 'vV'), hasAt(text, 1, DIGITS)])]),
  ]);

/**
 * flagd reads fewer forms of versions than we do, only numbers up to 2^53 in them, and no lists. Its schema requires
 * the bound to have all three numbers.
 */
function versionBounds(value: Logic, isAbove: boolean, version: string): Bounds {
  const [whole, major, minor = '0', patch = '0', rest = ''] = VERSION.exec(version) ?? [];
  // flagd's schema accepts only an attribute here.
  const isPlain = value !== USER_KEY;
  if (whole === undefined || !isPlain || whole.length > 200 || /\d{16}/.test(whole)) return UNKNOWN;
  const bound = `${major}.${minor}.${patch}${rest}`;
  return {
    sure: allOf([
      { starts_with: [value, ''] },
      beginsAsVersion(value),
      hasAt(value, -1, `-${DIGITS}${LETTERS}`),
      { sem_ver: [value, isAbove ? '>' : '<', bound] },
    ]),
    possible: allOf([
      some(value, allOf([IS_TEXT, beginsAsVersion(ELEMENT)])),
      not({ sem_ver: [value, isAbove ? '<=' : '>=', bound] }),
    ]),
  };
}

const LITERAL = /^(\^?)((?:[^.*+?^${}()|[\]\\]|\\[.*+?^${}()|[\]\\/])*)(\$?)$/su;
const ASCII = /^[\0-\x7f]*$/;

/** Translates patterns that are literal text with or without anchors; flagd has no other patterns. */
function patternBounds(pattern: string): Bounds {
  const [whole, start, escaped = '', end] = LITERAL.exec(pattern) ?? [];
  if (whole === undefined) return UNKNOWN;
  const text = escaped.replace(/\\(.)/gu, '$1');
  if (start && end) return exactly(equals(text));
  if (!start && !end) return containsBounds(text);
  // Some implementations of flagd count bytes, others UTF-16 units or characters. These counts are equal only for
  // ASCII.
  if (!ASCII.test(text)) return UNKNOWN;
  const cut = start ? [0, text.length] : [-text.length];
  const matches = (all: string): boolean => (start ? all.startsWith(text) : all.endsWith(text));
  return textBounds(text, matches, (all) => ({ '===': [{ substr: [all, ...cut] }, text] }));
}

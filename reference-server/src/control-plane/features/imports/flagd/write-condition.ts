import type { Condition } from '@flagsvc/sdk-core';
import { allOf, anyOf, type Bounds, exactly, type Logic, mapBounds, not, UNKNOWN } from './json-logic.ts';

type Scalar = string | number | boolean;

const DIGITS = '0123456789';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The element that `some` asks for. flagd's own operators, such as `starts_with`, fail inside of it. */
const ELEMENT = { var: '' };
/** With two parts, as flagd's interpreter fails on the text of null alone. */
const AS_TEXT = { cat: [ELEMENT, ''] };
/** JSONLogic has no question for a type, but only a text is its own text. */
const IS_TEXT = { '===': [ELEMENT, AS_TEXT] };
const IS_BOOLEAN = { in: [ELEMENT, [true, false]] };

/** Whether the character at a place, counted from the end if negative, is one of these. */
const hasAt = (text: Logic, place: number, of: string): Logic => ({ in: [{ substr: [text, place, 1] }, of] });

/** Neither text nor list, and its text begins like a number. A list has something at 0, or a text that does not. */
const IS_NUMBER = allOf([
  not(IS_TEXT),
  { '===': [{ var: '0' }, null] },
  { '!==': [AS_TEXT, ''] },
  hasAt(AS_TEXT, 0, `-${DIGITS}`),
]);
const IS_SCALAR = anyOf([IS_TEXT, IS_BOOLEAN, IS_NUMBER]);

const HALVED = /\p{Cs}/u;

/** As a condition reads it: an attribute of that name stands before the key of the context (EV-59). */
export const USER_KEY = { if: [{ missing: ['user_key'] }, { var: 'targetingKey' }, { var: 'user_key' }] };

/**
 * The attribute's value; undefined for a name that flagd cannot read. Its names are paths, the targeting key is the
 * user key, and flagd's own evaluator in JavaScript loses `__proto__`.
 */
function readAttribute(name: string): Logic | undefined {
  if (name === 'user_key') return USER_KEY;
  if (name === '' || name === 'targetingKey' || name === '__proto__') return undefined;
  return /^\$|[.\\]/.test(name) ? undefined : { var: name };
}

/** Whether something is true of an element: of a scalar itself, of a list by its elements (EV-60). */
const some = (value: Logic, question: Logic): Logic =>
  typeof question === 'boolean' ? question : { some: [{ merge: [value] }, question] };

const NEGATIVE: Partial<Record<Condition['operator'], Condition['operator']>> = {
  is_not: 'is',
  not_contains: 'contains',
  not_one_of: 'one_of',
};

/** A condition on an attribute in flagd's logic. */
export function writeQuestion({ attribute, operator, value: operand }: Condition): Bounds {
  const value = readAttribute(attribute);
  if (value === undefined) return UNKNOWN;
  const isPresent = { '!==': [value, null] };
  if (operator === 'version_gt' || operator === 'version_lt') {
    const version = askVersion(value, operator === 'version_gt', String(operand));
    return version === UNKNOWN ? { sure: false, possible: isPresent } : version;
  }
  const positive = NEGATIVE[operator];
  const question = askElement(positive ?? operator, operand as Scalar | readonly Scalar[]);
  const asked = mapBounds(question, (logic) => some(value, logic));
  if (positive === undefined)
    return { ...asked, possible: asked.possible === true ? isPresent : asked.possible };
  // A list without scalars matches as well, but nothing tells it from an object, which does not.
  const isScalar = some(value, IS_SCALAR);
  return {
    // Alone it would be the question for the empty text, which an import has to tell from this one.
    sure: allOf(asked.possible === false ? [isPresent, isScalar] : [isScalar, not(asked.possible)]),
    possible: allOf([isPresent, not(asked.sure)]),
  };
}

/** A positive operator of one element. */
function askElement(operator: Condition['operator'], operand: Scalar | readonly Scalar[]): Bounds {
  switch (operator) {
    case 'is':
      return exactly(equals(operand as Scalar));
    case 'one_of':
      return exactly(equalsOneOf(operand as readonly Scalar[]));
    case 'contains':
      return askPart(String(operand));
    case 'gt':
    case 'lt':
      return askNumber(operator === 'gt' ? '>' : '<', Number(operand));
    case 'matches_regex':
      return askPattern(String(operand));
    default:
      return UNKNOWN;
  }
}

/** What has this text besides the text itself (EV-69): flagd keeps texts, numbers and booleans apart. */
function othersLike(text: string): readonly Scalar[] {
  if (text === 'true' || text === 'false') return [text === 'true'];
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? [number] : [];
}

const isEqual = (value: Scalar): Logic => ({ '===': [ELEMENT, value] });

/** The value as it is given comes first. */
const equals = (value: Scalar): Logic =>
  anyOf([...new Set([value, String(value), ...othersLike(String(value))])].map(isEqual));

function equalsOneOf(values: readonly Scalar[]): Logic {
  const texts = [...new Set(values.map(String))];
  if (texts.length === 0) return false;
  return anyOf([allOf([IS_TEXT, { in: [ELEMENT, texts] }]), ...texts.flatMap(othersLike).map(isEqual)]);
}

const askPart = (part: string): Bounds =>
  askText(
    part,
    (text) => text.includes(part),
    (text) => ({ in: [part, text] }),
  );

/** Asks for a part of the element's text. */
function askText(part: string, holds: (text: string) => boolean, ask: (text: Logic) => Logic): Bounds {
  if (part === '') return exactly(IS_SCALAR);
  // flagd finds half a surrogate pair in a whole one.
  if (HALVED.test(part)) return UNKNOWN;
  const booleans = [true, false].filter((one) => holds(String(one))).map(isEqual);
  const isInNumbers = part.length <= 25 && /^[-+.e0-9]*$/.test(part);
  return exactly(
    anyOf([
      allOf([IS_TEXT, ask(ELEMENT)]),
      ...booleans,
      isInNumbers ? allOf([IS_NUMBER, ask(AS_TEXT)]) : false,
    ]),
  );
}

/** Texts that are decimals count as well, but JSONLogic fails on those that are not. */
function askNumber(comparison: '<' | '>', bound: number): Bounds {
  const sure = allOf([IS_NUMBER, { [comparison]: [ELEMENT, bound] }]);
  const isDecimalPerhaps = allOf([IS_TEXT, { '!==': [ELEMENT, ''] }, hasAt(ELEMENT, 0, `+-.${DIGITS}`)]);
  return { sure, possible: anyOf([sure, isDecimalPerhaps]) };
}

const VERSION = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?([-+].*)?$/i;

/** Begins as a version does. flagd trims versions, and takes a second `v`. */
const beginsAsVersion = (text: Logic): Logic =>
  allOf([
    { '!==': [text, ''] },
    anyOf([hasAt(text, 0, DIGITS), allOf([hasAt(text, 0, 'vV'), hasAt(text, 1, DIGITS)])]),
  ]);

/** flagd reads fewer forms of versions than we do, numbers up to 2^53, and no lists. Its schema wants the bound in full. */
function askVersion(value: Logic, isAbove: boolean, version: string): Bounds {
  const [whole, major, minor = '0', patch = '0', rest = ''] = VERSION.exec(version) ?? [];
  // The schema takes nothing but an attribute here.
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

/** Patterns that only say how a text begins or ends, or what is in it; flagd has no others. */
function askPattern(pattern: string): Bounds {
  const [whole, start, escaped = '', end] = LITERAL.exec(pattern) ?? [];
  if (whole === undefined) return UNKNOWN;
  const text = escaped.replace(/\\(.)/gu, '$1');
  if (start && end) return exactly(equals(text));
  if (!start && !end) return askPart(text);
  // Implementations of flagd count bytes, UTF-16 units or characters.
  if (!ASCII.test(text)) return UNKNOWN;
  const cut = start ? [0, text.length] : [-text.length];
  const holds = (all: string): boolean => (start ? all.startsWith(text) : all.endsWith(text));
  return askText(text, holds, (all) => ({ '===': [{ substr: [all, ...cut] }, text] }));
}

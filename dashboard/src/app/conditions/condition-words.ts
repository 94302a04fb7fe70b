import { formatOr } from '../../i18n/format-number.ts';
import { isExactNumber } from '../exact-number.ts';
import { type Condition, type ConditionValue, type Operator, SEGMENT } from './condition.ts';
import { t } from './messages.ts';

export const OPERATORS: readonly Operator[] = [
  'is',
  'is_not',
  'one_of',
  'not_one_of',
  'contains',
  'not_contains',
  'gt',
  'lt',
  'version_gt',
  'version_lt',
  'matches_regex',
];
const SEGMENT_OPERATORS: readonly Operator[] = ['one_of', 'not_one_of', 'is', 'is_not'];

/** The operators that an attribute can be compared with. */
export const operatorsOf = (attribute: string): readonly Operator[] =>
  attribute === SEGMENT ? SEGMENT_OPERATORS : OPERATORS;

export const takesList = (operator: Operator): boolean => operator === 'one_of' || operator === 'not_one_of';
export const takesNumber = (operator: Operator): boolean => operator === 'gt' || operator === 'lt';

/** A condition in three parts, of which the first and the last carry the meaning: "country", "is one of", "NL, BE". */
export interface ConditionWords {
  readonly subject: string;
  readonly verb: string;
  readonly object: string;
  /** The parts of `object`, to show which of them changed. */
  readonly values: readonly string[];
}

/** `segmentName` gives the name of a segment's key. */
export function conditionWords(
  { attribute, operator, value }: Condition,
  segmentName: (key: string) => string = (key) => key,
): ConditionWords {
  const isSegment = attribute === SEGMENT;
  const values = (Array.isArray(value) ? value : [value]).map((one) =>
    isSegment ? segmentName(String(one)) : valueText(one),
  );
  const shown = values.map(visible);
  return {
    subject: isSegment ? t.user : visible(attribute),
    verb: isSegment ? (t.segmentVerbs[operator] ?? operator) : t.verbs[operator],
    object: isSegment ? formatOr(shown) : shown.join(', '),
    values: shown,
  };
}

/** "country is one of NL, BE and plan is pro"; nothing for no conditions. */
export function conditionsText(
  conditions: readonly Condition[],
  segmentName?: (key: string) => string,
): string {
  return conditions
    .map((condition) => {
      const { subject, verb, object } = conditionWords(condition, segmentName);
      return `${subject} ${verb} ${object}`;
    })
    .join(` ${t.and} `);
}

/** Nothing and blanks would be invisible in a sentence. */
function visible(text: string): string {
  return text.trim() === '' ? t.blank : text;
}

function valueText(value: string | number | boolean): string {
  if (value === true) return t.yes;
  if (value === false) return t.no;
  return String(value);
}

/** The value that fits another operator, keeping what was typed: a list becomes its first entry, and back. */
export function valueFor(operator: Operator, value: ConditionValue): ConditionValue {
  const list = Array.isArray(value) ? value : value === '' ? [] : [value];
  if (takesList(operator)) return list;
  const [first = ''] = list;
  if (takesNumber(operator)) return readNumber(String(first)) ?? first;
  return typeof first === 'number' && /^(contains|not_contains|matches|version)/.test(operator)
    ? String(first)
    : first;
}

/** `42` and `-1.5` are numbers, `4.2.0`, `007`, nothing, and what a number cannot keep are not. */
export function readNumber(text: string): number | undefined {
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text.trim()) && isExactNumber(text.trim())
    ? Number(text)
    : undefined;
}

/** What a text could also mean: a number or a yes/no, which are not equal to the text. */
export function otherReading(value: ConditionValue): ConditionValue | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return undefined;
    const numbers = value.map((one) => (typeof one === 'string' ? readNumber(one) : undefined));
    if (numbers.every((one) => one !== undefined)) return numbers;
    return value.some((one) => typeof one !== 'string') ? value.map(String) : undefined;
  }
  if (typeof value !== 'string') return String(value);
  if (value === 'true' || value === 'false') return value === 'true';
  return readNumber(value);
}

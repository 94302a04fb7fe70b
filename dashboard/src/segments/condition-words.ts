import { t } from './messages.ts';
import type { Condition, Operator } from './use-segments.ts';

export const SEGMENT = '$segment';
const OPERATORS = Object.keys(t.verbs) as readonly Operator[];
const segmentVerbs: Readonly<Record<string, string>> = t.segmentVerbs;

export const operatorsOf = (attribute: string): readonly Operator[] =>
  attribute === SEGMENT ? (Object.keys(segmentVerbs) as readonly Operator[]) : OPERATORS;
export const takesList = (operator: Operator): boolean => operator === 'one_of' || operator === 'not_one_of';
export const takesNumber = (operator: Operator): boolean => operator === 'gt' || operator === 'lt';

export function verbOf(attribute: string, operator: Operator): string {
  return attribute === SEGMENT ? (segmentVerbs[operator] ?? operator) : t.verbs[operator];
}

/** `country is one of NL, BE`. */
export function conditionWords({ attribute, operator, value }: Condition): string {
  const values = (Array.isArray(value) ? value : [value]).map(valueText);
  const subject = attribute === SEGMENT ? t.user : attribute || t.blank;
  return `${subject} ${verbOf(attribute, operator)} ${values.join(', ') || t.blank}`;
}

/** `If country is one of NL, BE and plan is pro`. */
export function sentenceOf(conditions: readonly Condition[], hasList: boolean): string {
  if (conditions.length === 0) return hasList ? t.nobodyElse : t.everyone;
  return `${t.if} ${conditions.map(conditionWords).join(` ${t.and} `)}`;
}

function valueText(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  return String(value).trim() === '' ? t.blank : String(value);
}

/** The value that fits another operator, keeping what was typed. */
export function valueFor(operator: Operator, value: Condition['value']): Condition['value'] {
  const list = Array.isArray(value) ? value : value === '' ? [] : [value];
  if (takesList(operator)) return list;
  const [first = ''] = list;
  if (takesNumber(operator)) return readNumber(String(first)) ?? '';
  return /^(contains|not_contains|matches|version)/.test(operator) ? String(first) : first;
}

/** `42` and `-1.5` are numbers, `4.2.0`, `007` and nothing are not. */
export function readNumber(text: string): number | undefined {
  const isNumber = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text.trim()) && Number.isFinite(Number(text));
  return isNumber ? Number(text) : undefined;
}

export function isComplete({ attribute, operator, value }: Condition): boolean {
  if (attribute.trim() === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return takesNumber(operator) ? typeof value === 'number' : value !== '';
}

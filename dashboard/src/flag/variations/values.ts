import type { Flag } from '../../api/types.ts';
import { isExactNumber } from '../../app/exact-number.ts';
import { jsonFault } from './json-fault.ts';
import { t } from './messages.ts';

type FlagType = Flag['flag_type'];

/** A value of the flag's type, or what is wrong with the text. */
export type Reading = { readonly value: unknown } | { readonly fault: string };

/** A value as it is shown and compared: one line. */
export const valueText = (value: unknown): string => JSON.stringify(value);

/** A value as it is edited: texts without quotes, JSON on several lines. */
export function editText(type: FlagType, value: unknown): string {
  if (type === 'json') return JSON.stringify(value, undefined, 2);
  return typeof value === 'string' ? value : String(value);
}

/** Reads what was typed as a value of the type. */
export function readValue(type: FlagType, text: string): Reading {
  if (type === 'string') return { value: text };
  if (type === 'boolean') return { value: text === 'true' };
  if (type === 'number') return readNumber(text.trim());
  const fault = jsonFault(text);
  if (fault !== undefined) {
    const { kind, line, column, found } = fault;
    return { fault: `${t.at(line, column)}: ${t.jsonFaults[kind](found)}` };
  }
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { value } : { fault: t.notAnObject };
}

function readNumber(text: string): Reading {
  if (text === '') return { fault: t.numberMissing };
  const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text));
  if (!isNumber) return { fault: t.notANumber };
  return isExactNumber(text) ? { value: Number(text) } : { fault: t.notExact(String(BigInt(Number(text)))) };
}

/** The value that a new variation begins with. */
export const FIRST_VALUES: Readonly<Record<FlagType, unknown>> = {
  boolean: true,
  string: '',
  number: 0,
  json: {},
};

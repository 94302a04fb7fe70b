import type { components } from '@flagsvc/openapi';
import { isExactNumber } from '../app/exact-number.ts';
import { keyOf } from '../app/key-of.ts';
import { t } from './messages.ts';

type Body = components['schemas']['CreateFlagBody'];

/** The form of a new flag. */
export interface NewFlag {
  readonly name: string;
  /** Empty: made from the name. */
  readonly key: string;
  readonly type: Body['flag_type'];
  /** What a flag of texts or numbers serves, as typed; the first is the default. Empty ones count for nothing. */
  readonly values?: readonly string[];
  readonly kind: NonNullable<Body['classification']>;
  readonly description: string;
  readonly isForClients: boolean;
}

/** As many as one form shows well; the page of the flag adds more. */
export const VALUES_MAX = 10;
const NAME_MAX = 200;
/** Leaves place for a number that tells keys apart. */
const KEY_BASE_MAX = 96;

/** Whether a text can be a value of the type. Nothing is typed yet in an empty field. */
export function isValue(type: NewFlag['type'], text: string): boolean {
  const typed = text.trim();
  if (type !== 'number' || typed === '') return true;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed) && isExactNumber(typed);
}

/** With the variations that were typed, or two to begin with; a switch has on and off. */
export function bodyOf(flag: NewFlag): Body {
  const { name, key, type, kind, description, isForClients } = flag;
  const variations = variationsOf(flag);
  return {
    name: name.trim(),
    key: key.trim() || keyOf(name),
    flag_type: type,
    variations: [...variations],
    default_variation: type === 'boolean' ? 'off' : variations[0]!.key,
    classification: kind,
    client_side: isForClients,
    ...(description.trim() !== '' && { description: description.trim() }),
  };
}

function variationsOf({ type, values = [] }: NewFlag): readonly Body['variations'][number][] {
  const typed = type === 'string' || type === 'number' ? values.filter((text) => text.trim() !== '') : [];
  if (typed.length > 0) return typedVariations(type, typed);
  const [first, second] = START[type];
  if (type === 'boolean')
    return [
      { key: 'on', name: t.form.on, value: first },
      { key: 'off', name: t.form.off, value: second },
    ];
  return [
    { key: 'first', name: t.form.first, value: first },
    { key: 'second', name: t.form.second, value: second },
  ];
}

/** Keys and names come from the values, and no key comes twice. */
function typedVariations(type: NewFlag['type'], typed: readonly string[]) {
  const keys = new Set<string>();
  return typed.map((text, index) => {
    const wanted = keyOf(text) || `value-${index + 1}`;
    let key = wanted;
    for (let number = 2; keys.has(key); number++) key = `${wanted.slice(0, KEY_BASE_MAX)}-${number}`;
    keys.add(key);
    const name = text.trim().slice(0, NAME_MAX).toWellFormed();
    return { key, name, value: type === 'number' ? Number(text) : text };
  });
}

const START: Readonly<Record<Body['flag_type'], readonly [unknown, unknown]>> = {
  boolean: [true, false],
  string: ['first', 'second'],
  number: [1, 2],
  json: [{ version: 1 }, { version: 2 }],
};

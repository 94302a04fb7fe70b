import { FLAG_TYPES, type FlagType } from '@flagsvc/sdk-core';
import type { DocumentFlag } from '../document.ts';
import { variationKeys } from './keys.ts';

export type DocumentVariation = DocumentFlag['variations'][number];

/** A value of a flag in another product. */
export interface ForeignValue {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

export interface WrittenVariations {
  readonly flag_type: FlagType;
  readonly variations: DocumentVariation[];
  /** The keys of the variations, in the order of the values. */
  readonly keys: readonly string[];
}

/** Longer texts make poor keys. */
const KEY_TEXT_MAX = 40;

/** Values as variations. Undefined if no flag type fits all of them. */
export function writeVariations(values: readonly ForeignValue[]): WrittenVariations | undefined {
  const flag_type = typeOf(values.map(({ value }) => value));
  if (flag_type === undefined) return undefined;
  if (flag_type === 'boolean') return booleanVariations(values);
  const keys = variationKeys(values.map((one, index) => wishOf(one, index)));
  const variations = values.map(({ value, name, description }, index) => ({
    key: keys[index]!,
    name: nameOf(name) ?? nameOf(keys[index]) ?? `Variation ${index + 1}`,
    ...(description !== undefined && description !== '' && { description: description.slice(0, 2_000) }),
    value,
  }));
  return { flag_type, variations, keys };
}

/** A boolean flag has exactly these two. */
export function booleanVariations(values: readonly ForeignValue[] = []): WrittenVariations {
  const variations = [true, false].map((value) => {
    const { name, description = '' } = values.find((one) => one.value === value) ?? {};
    const key = value ? 'on' : 'off';
    return {
      key,
      name: nameOf(name) ?? (value ? 'On' : 'Off'),
      ...(description !== '' && { description: description.slice(0, 2_000) }),
      value,
    };
  });
  return {
    flag_type: 'boolean',
    variations,
    keys: values.map(({ value }) => (value === true ? 'on' : 'off')),
  };
}

/** A name that our documents accept, or undefined. */
export function nameOf(name: string | undefined): string | undefined {
  const text = name?.trim().slice(0, 200) ?? '';
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text) ? text : undefined;
}

function wishOf({ value, name }: ForeignValue, index: number): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= KEY_TEXT_MAX) return value;
  if (typeof value === 'number') return String(value);
  return nameOf(name)?.slice(0, KEY_TEXT_MAX) ?? `variation-${index + 1}`;
}

function typeOf(values: readonly unknown[]): FlagType | undefined {
  const types = new Set(values.map((one) => (typeof one === 'object' && one !== null ? 'json' : typeof one)));
  const [only] = types;
  return types.size === 1 ? FLAG_TYPES.find((type) => type === only) : undefined;
}

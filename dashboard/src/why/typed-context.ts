import type { Context } from '@flagsvc/sdk-core';

export const TYPES = ['text', 'number', 'boolean', 'list', 'json'] as const;
export type AttributeType = (typeof TYPES)[number];

/** One attribute as it is typed. */
export interface TypedAttribute {
  /** Tells rows with the same name apart while they are typed. */
  readonly id: number;
  readonly name: string;
  readonly type: AttributeType;
  /** `true` or `false` for a boolean, texts with commas between them for a list. */
  readonly text: string;
}

/** A context as it is typed, in fields or as JSON. */
export interface TypedContext {
  readonly mode: 'fields' | 'json';
  readonly userKey: string;
  readonly attributes: readonly TypedAttribute[];
  readonly json: string;
  /** When the environment recorded it; undefined for one that was typed. */
  readonly recordedAt?: string | undefined;
}

export const NO_CONTEXT: TypedContext = { mode: 'fields', userKey: '', attributes: [], json: '' };

/** Why a context is not what its author meant. */
export type ContextFault =
  | { readonly kind: 'number' | 'json' | 'repeated'; readonly id: number }
  | { readonly kind: 'not-json' | 'not-object' | 'key-type' | 'attributes-type' | 'key-long' }
  | { readonly kind: 'beside'; readonly names: readonly string[] };

/** A context for the evaluator, and what is wrong with it. */
export interface ReadContext {
  /** Undefined when there is nothing that an SDK could take. */
  readonly context: Context | undefined;
  readonly faults: readonly ContextFault[];
}

const KEY_MAX = 1_024;

/** What the evaluator gets for what was typed. */
export function readContext(typed: TypedContext): ReadContext {
  return typed.mode === 'json' ? readJson(typed.json) : readFields(typed);
}

function readFields({ userKey, attributes }: TypedContext): ReadContext {
  const faults: ContextFault[] = userKey.length > KEY_MAX ? [{ kind: 'key-long' }] : [];
  const values: [string, unknown][] = [];
  const names = new Set<string>();
  for (const { id, name, type, text } of attributes) {
    if (name === '') continue;
    if (names.has(name)) faults.push({ kind: 'repeated', id });
    names.add(name);
    const value = readValue(type, text);
    if (value === undefined) faults.push({ kind: type === 'json' ? 'json' : 'number', id });
    else values.push([name, value]);
  }
  // A name such as __proto__ must become an attribute of its own.
  return { context: { ...(userKey !== '' && { user_key: userKey }), attributes: fromPairs(values) }, faults };
}

const fromPairs = (pairs: readonly [string, unknown][]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(pairs);

/** The value of a typed text; undefined when the text has another type. */
function readValue(type: AttributeType, text: string): unknown {
  switch (type) {
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true';
    case 'list':
      return text.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]));
    case 'json':
      return parseJson(text);
    default:
      return text;
  }
}

function readJson(json: string): ReadContext {
  if (json.trim() === '') return { context: {}, faults: [] };
  const value = parseJson(json);
  if (value === undefined) return { context: undefined, faults: [{ kind: 'not-json' }] };
  if (!isRecord(value)) return { context: undefined, faults: [{ kind: 'not-object' }] };
  const { user_key: userKey, attributes, ...beside } = value;
  const faults: ContextFault[] = [];
  if (userKey !== undefined && typeof userKey !== 'string') faults.push({ kind: 'key-type' });
  if (typeof userKey === 'string' && userKey.length > KEY_MAX) faults.push({ kind: 'key-long' });
  if (attributes !== undefined && !isRecord(attributes)) faults.push({ kind: 'attributes-type' });
  const names = Object.keys(beside);
  if (names.length > 0) faults.push({ kind: 'beside', names });
  return { context: value as Context, faults };
}

/** The JSON with the fields that stand beside `attributes` moved into it. */
export function moveIntoAttributes(json: string): string {
  const value = parseJson(json);
  if (!isRecord(value)) return json;
  const { user_key, attributes, ...beside } = value;
  const inside = isRecord(attributes) ? attributes : {};
  return toJson({ ...(user_key !== undefined && { user_key }), attributes: { ...beside, ...inside } });
}

/** Fields for a context, such as a recorded one. Values that no field can hold stay JSON. */
export function typedOf(context: unknown, recordedAt?: string): TypedContext {
  const { user_key: userKey, attributes } = isRecord(context) ? context : {};
  return {
    ...NO_CONTEXT,
    userKey: typeof userKey === 'string' ? userKey : '',
    attributes: Object.entries(isRecord(attributes) ? attributes : {}).map(([name, value], index) => ({
      id: index + 1,
      name,
      ...textOf(value),
    })),
    json: toJson(context),
    recordedAt,
  };
}

function textOf(value: unknown): Pick<TypedAttribute, 'type' | 'text'> {
  if (typeof value === 'string') return { type: 'text', text: value };
  if (typeof value === 'number') return { type: 'number', text: String(value) };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  // Conditions compare the texts of a list's values, so a list of numbers is the same as a list of texts.
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === 'string' && !/^\s|\s$|,|^$/.test(one));
  return isList
    ? { type: 'list', text: value.join(', ') }
    : { type: 'json', text: JSON.stringify(value) ?? '' };
}

/** The same context in the other form. JSON that no fields can hold stays JSON. */
export function inMode(typed: TypedContext, mode: TypedContext['mode']): TypedContext {
  if (typed.mode === mode) return typed;
  const { context, faults } = readContext(typed);
  if (mode === 'json') return { ...typed, mode, json: toJson(context ?? {}) };
  if (context === undefined || faults.length > 0) return typed;
  return { ...typedOf(context, typed.recordedAt), mode };
}

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

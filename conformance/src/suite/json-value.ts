/**
 * JSON values in the suite's notation. JSON cannot reliably carry NaN, infinities, -0 or absent values, so the suite
 * writes
 * `{"$number": "NaN"}`, `{"$absent": true}` and `{"$inherited": {…}}`. Adapters decode these tags, and so do comparisons.
 * Lists that are too long for a file are written as `{"$repeat": …}`, which the kit expands before an adapter sees them.
 */

/** Any JSON value, with or without tags. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [name: string]: JsonValue | undefined };

const NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces tags by the values they stand for. Inherited properties are put on the object's prototype. */
export const decodeTagged = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    // A loop rather than `map`: Hermes allows only about a hundred nested calls from native functions.
    const items: unknown[] = [];
    for (const item of expandRepeats(value)) items.push(decodeTagged(item));
    return items;
  }
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  const number = names.length === 1 ? value['$number'] : undefined;
  if (typeof number === 'string' && Object.hasOwn(NUMBERS, number)) return NUMBERS[number];
  const inherited = value['$inherited'];
  const decoded: Record<string, unknown> = isObject(inherited)
    ? Object.create(decodeTagged(inherited) as object)
    : {};
  for (const name of names) {
    if (name === '$inherited' || isAbsent(value[name])) continue;
    // Assigning to `__proto__` would set the prototype; here it is an ordinary name.
    Object.defineProperty(decoded, name, {
      value: decodeTagged(value[name]),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return decoded;
};

const isAbsent = (value: unknown): boolean =>
  isObject(value) && value['$absent'] === true && Object.keys(value).length === 1;

/**
 * The items of a list, with `{"$repeat": {"n": 1000}, "item": …}` expanded to a thousand items. In their texts, `{n}` is
 * the index from 0 and `{n+1}` the next index. A repeat inside a repeat uses another name.
 */
const expandRepeats = (items: readonly unknown[]): readonly unknown[] =>
  items.flatMap((item) => {
    if (!isObject(item) || !isObject(item['$repeat'])) return [item];
    const [[name, times] = []] = Object.entries(item['$repeat']);
    return Array.from({ length: Number(times) }, (_, index) => fillIndex(item['item'], name!, index));
  });

const fillIndex = (item: unknown, name: string, index: number): unknown => {
  if (typeof item === 'string')
    return item.replaceAll(`{${name}}`, String(index)).replaceAll(`{${name}+1}`, String(index + 1));
  if (Array.isArray(item)) return item.map((part) => fillIndex(part, name, index));
  if (!isObject(item)) return item;
  return Object.fromEntries(Object.entries(item).map(([key, part]) => [key, fillIndex(part, name, index)]));
};

/** A value with all its lists expanded. Its tags stay. */
export const expandLists = (value: unknown): unknown => {
  if (Array.isArray(value)) return expandRepeats(value).map(expandLists);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, expandLists(part)]));
};

/** Equality of JSON values. Numbers are compared by value, and the order of an object's names does not matter. */
export const sameJson = (left: unknown, right: unknown): boolean => {
  if (typeof left === 'number' && typeof right === 'number') {
    return left === right || (Number.isNaN(left) && Number.isNaN(right));
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return left === right;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  );
};

/** Names of the expected fields that are missing or different. Other fields are not compared. */
export const differences = (expected: object, actual: unknown): string[] => {
  const wanted = decodeTagged(expected) as Record<string, unknown>;
  const got = decodeTagged(actual);
  if (!isObject(got)) return Object.keys(wanted);
  return Object.keys(wanted).filter(
    (name) => !Object.hasOwn(got, name) || !sameJson(wanted[name], got[name]),
  );
};

/** A value as one line of JSON; the middle of a line longer than `limit` characters is cut out. */
export const brief = (value: unknown, limit = 400): string => {
  const text = JSON.stringify(value) ?? 'undefined';
  if (text.length <= limit) return text;
  const half = Math.floor((limit - 3) / 2);
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
};

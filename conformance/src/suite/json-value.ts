/**
 * Values as the suite writes them. JSON has no NaN, no infinities, no -0 and no absence, so the suite writes
 * `{"$number": "NaN"}`, `{"$absent": true}` and `{"$inherited": {…}}`; adapters undo that, and so does a comparison.
 * Lists that are too long for a file it writes as `{"$repeat": …}`, which the kit undoes before an adapter sees it.
 */

/** Any JSON value, tagged or not. */
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

/** Replaces tagged values. What is tagged as inherited becomes a property of the object's prototype. */
export const decodeTagged = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    // A loop, not `map`: Hermes has room for about a hundred calls by the engine within each other.
    const items: unknown[] = [];
    for (const item of writtenOut(value)) items.push(decodeTagged(item));
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
    // Defined, not assigned: `__proto__` is an ordinary name here.
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
 * The items of a list: `{"$repeat": {"n": 1000}, "item": …}` stands for a thousand. `{n}` in their texts is the place,
 * from 0, and `{n+1}` the next one; a repeat inside a repeat counts by another name.
 */
const writtenOut = (items: readonly unknown[]): readonly unknown[] =>
  items.flatMap((item) => {
    if (!isObject(item) || !isObject(item['$repeat'])) return [item];
    const [[name, times] = []] = Object.entries(item['$repeat']);
    return Array.from({ length: Number(times) }, (_, place) => inPlace(item['item'], name!, place));
  });

const inPlace = (item: unknown, name: string, place: number): unknown => {
  if (typeof item === 'string')
    return item.replaceAll(`{${name}}`, String(place)).replaceAll(`{${name}+1}`, String(place + 1));
  if (Array.isArray(item)) return item.map((part) => inPlace(part, name, place));
  if (!isObject(item)) return item;
  return Object.fromEntries(Object.entries(item).map(([key, part]) => [key, inPlace(part, name, place)]));
};

/** A value with all its lists written out; its tags stay. */
export const writeOut = (value: unknown): unknown => {
  if (Array.isArray(value)) return writtenOut(value).map(writeOut);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, writeOut(part)]));
};

/** Equality of JSON values: numbers by value, objects without order of names. */
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

/** Names of the expected fields that are missing or different; fields that are not expected are not compared. */
export const differences = (expected: object, actual: unknown): string[] => {
  const wanted = decodeTagged(expected) as Record<string, unknown>;
  const got = decodeTagged(actual);
  if (!isObject(got)) return Object.keys(wanted);
  return Object.keys(wanted).filter(
    (name) => !Object.hasOwn(got, name) || !sameJson(wanted[name], got[name]),
  );
};

/** One line of JSON, cut in the middle when it is longer than `limit` characters. */
export const brief = (value: unknown, limit = 400): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  if (text.length <= limit) return text;
  const half = Math.floor((limit - 3) / 2);
  return `${text.slice(0, half)} … ${text.slice(-half)}`;
};

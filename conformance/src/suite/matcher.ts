import { brief, isObject, sameJson } from './json-value.ts';

/** What earlier steps kept under a name, for later ones. */
export type Kept = Map<string, unknown>;

/**
 * Compares as scenarios mean it, and gives one line for each difference. An object must have the expected fields
 * and may have more; an array must have the expected items and no more. An object with one of these names asks for
 * something else:
 *
 * | | |
 * |---|---|
 * | `{"$any": true}` | is there |
 * | `{"$absent": true}` | is not there |
 * | `{"$match": "regex"}` | a text that the regular expression finds something in |
 * | `{"$type": "string"}` | of this JSON type; `integer` is one, too |
 * | `{"$min": 1}`, `{"$max": 9}`, also both | a number within bounds |
 * | `{"$length": 2}` | that many items or characters |
 * | `{"$oneOf": [...]}` | one of these |
 * | `{"$has": [...]}` | an array that holds an item like each of these |
 * | `{"$none": {...}}` | an array that holds no item like this |
 * | `{"$each": {...}}` | an array whose items are all like this |
 * | `{"$exactly": {...}}` | an object with these fields and no more |
 * | `{"$keep": "name"}` | is there, and is kept |
 * | `{"$is": "name"}`, `{"$isnt": "name"}` | the same as what was kept, or another |
 * | `{"$sorted": "asc"}` | an array in this order |
 * | `{"$lacks": "text"}` | does not hold this text anywhere, written as JSON |
 */
export const match = (expected: unknown, actual: unknown, kept: Kept, path = ''): string[] => {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${path || 'it'} is not a list: ${brief(actual)}`];
    const wrong = expected.flatMap((item, at) => match(item, actual[at], kept, `${path}[${at}]`));
    if (actual.length !== expected.length) {
      wrong.unshift(`${path || 'it'} has ${actual.length} items, not ${expected.length}: ${brief(actual)}`);
    }
    return wrong;
  }
  if (!isObject(expected)) {
    return sameJson(expected, actual) ? [] : [`${path || 'it'} is ${brief(actual)}, not ${brief(expected)}`];
  }
  const special = Object.keys(expected).filter((name) => name.startsWith('$'));
  if (special.length) {
    return special.flatMap((name) =>
      ask(name, expected[name], actual, kept, path).map(
        (words) => `${path || 'it'} ${words}: ${brief(actual)}`,
      ),
    );
  }
  if (!isObject(actual)) return [`${path || 'it'} is ${brief(actual)}, not an object`];
  return Object.entries(expected).flatMap(([name, value]) =>
    match(
      value,
      Object.hasOwn(actual, name) ? actual[name] : undefined,
      kept,
      path ? `${path}.${name}` : name,
    ),
  );
};

type Ask = (argument: unknown, actual: unknown, kept: Kept, path: string) => string | undefined | string[];

const inside = (actual: unknown): readonly unknown[] => (Array.isArray(actual) ? actual : []);
const fits = (expected: unknown, actual: unknown, kept: Kept) => match(expected, actual, kept).length === 0;

const ASKS: Readonly<Record<string, Ask>> = {
  $any: (_argument, actual) => (actual === undefined ? 'is not there' : undefined),
  $absent: (_argument, actual) => (actual === undefined ? undefined : 'is there'),
  $match: (argument, actual) =>
    typeof actual === 'string' && new RegExp(String(argument), 'u').test(actual)
      ? undefined
      : `does not match /${argument}/`,
  $type: (argument, actual) => (hasType(String(argument), actual) ? undefined : `is no ${argument}`),
  $min: (argument, actual) =>
    typeof actual === 'number' && actual >= Number(argument) ? undefined : `is less than ${argument}`,
  $max: (argument, actual) =>
    typeof actual === 'number' && actual <= Number(argument) ? undefined : `is more than ${argument}`,
  $length: (argument, actual) =>
    (actual as { length?: unknown } | null | undefined)?.length === argument
      ? undefined
      : `has not the length ${argument}`,
  $oneOf: (argument, actual, kept) =>
    inside(argument).some((one) => fits(one, actual, kept)) ? undefined : `is none of ${brief(argument)}`,
  $has: (argument, actual, kept) =>
    inside(argument)
      .filter((one) => !inside(actual).some((item) => fits(one, item, kept)))
      .map((one) => `holds nothing like ${brief(one)}`),
  $none: (argument, actual, kept) =>
    !Array.isArray(actual) || actual.some((item) => fits(argument, item, kept))
      ? `is no list without ${brief(argument)}`
      : undefined,
  $each: (argument, actual, kept, path) =>
    Array.isArray(actual)
      ? actual.flatMap((item, at) => match(argument, item, kept, `${path}[${at}]`))
      : 'is not a list',
  $exactly: (argument, actual, kept) => {
    const extra = Object.keys(isObject(actual) ? actual : {}).filter(
      (name) => !Object.hasOwn(argument as object, name),
    );
    return [...match(argument, actual, kept), ...extra.map((name) => `has the field ${name} on top`)];
  },
  $keep: (argument, actual, kept) => {
    if (actual === undefined) return 'is not there';
    kept.set(String(argument), actual);
    return undefined;
  },
  $is: (argument, actual, kept) =>
    sameJson(kept.get(String(argument)), actual)
      ? undefined
      : `is not ${argument}, ${brief(kept.get(String(argument)))}`,
  $isnt: (argument, actual, kept) =>
    sameJson(kept.get(String(argument)), actual) ? `is ${argument}` : undefined,
  $lacks: (argument, actual) =>
    JSON.stringify(actual ?? null).includes(String(argument)) ? `holds ${brief(argument)}` : undefined,
  $sorted: (argument, actual) => {
    const sign = argument === 'desc' ? -1 : 1;
    const sorted = inside(actual).every(
      (item, at, all) => at === 0 || sign * compare(all[at - 1], item) <= 0,
    );
    return Array.isArray(actual) && sorted ? undefined : `is not in order (${argument})`;
  },
};

const compare = (left: unknown, right: unknown): number =>
  (left as string) < (right as string) ? -1 : (left as string) > (right as string) ? 1 : 0;

const ask = (name: string, argument: unknown, actual: unknown, kept: Kept, path: string): string[] => {
  const found = Object.hasOwn(ASKS, name) ? ASKS[name] : undefined;
  if (!found) throw new Error(`the suite asks for ${name}, which this version does not know`);
  const answer = found(argument, actual, kept, path);
  return answer === undefined ? [] : Array.isArray(answer) ? answer : [answer];
};

const hasType = (type: string, value: unknown): boolean => {
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
};

/** Replaces `{name}` in texts, and an object `{"$kept": "name"}`, by what was kept. */
export const fill = (value: unknown, kept: Kept): unknown => {
  if (typeof value === 'string') {
    return value.replace(/\{(\w+)\}/g, (whole, name: string) =>
      kept.has(name) ? String(kept.get(name)) : whole,
    );
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, kept));
  if (!isObject(value)) return value;
  const name = value['$kept'];
  if (typeof name === 'string') return kept.get(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [fill(key, kept) as string, fill(item, kept)]),
  );
};

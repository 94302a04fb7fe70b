import { brief, isObject, sameJson } from './json-value.ts';

/** Values that earlier steps saved under a name, for later steps. */
export type SavedValues = Map<string, unknown>;

/**
 * Compares a value with what a scenario expects, and returns one line for each difference. An object must have the
 * expected fields and may have more; an array must have the expected items and no more. An object with one of these
 * names is a matcher:
 *
 * | matcher | the value must |
 * |---|---|
 * | `{"$any": true}` | be present |
 * | `{"$absent": true}` | be absent |
 * | `{"$match": "regex"}` | be a text in which the regular expression finds a match |
 * | `{"$type": "string"}` | have this JSON type; `integer` is one of the types |
 * | `{"$min": 1}`, `{"$max": 9}`, or both | be a number within the bounds |
 * | `{"$length": 2}` | have this many items or characters |
 * | `{"$oneOf": [...]}` | match one of these |
 * | `{"$has": [...]}` | be an array with an item that matches each of these |
 * | `{"$none": {...}}` | be an array in which no item matches this |
 * | `{"$each": {...}}` | be an array in which every item matches this |
 * | `{"$exactly": {...}}` | be an object with these fields and no others |
 * | `{"$keep": "name"}` | be present; it is saved under the name |
 * | `{"$is": "name"}`, `{"$isnt": "name"}` | equal the saved value, or differ from it |
 * | `{"$sorted": "asc"}` | be an array in this order |
 * | `{"$lacks": "text"}` | not contain the text anywhere, written as JSON |
 */
export const match = (expected: unknown, actual: unknown, { saved, path = '' }: MatchScope): string[] => {
  const name = path || 'it';
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${name} is not a list: ${brief(actual)}`];
    const wrong = expected.flatMap((item, at) => match(item, actual[at], { saved, path: `${path}[${at}]` }));
    if (actual.length !== expected.length) {
      wrong.unshift(`${name} has ${actual.length} items, not ${expected.length}: ${brief(actual)}`);
    }
    return wrong;
  }
  if (!isObject(expected)) {
    return sameJson(expected, actual) ? [] : [`${name} is ${brief(actual)}, not ${brief(expected)}`];
  }
  const matchers = Object.keys(expected).filter((key) => key.startsWith('$'));
  if (matchers.length) {
    return matchers.flatMap((key) =>
      [matcherOf(key)(expected[key], actual, { saved, path }) ?? []]
        .flat()
        .map((difference) => `${name} ${difference}: ${brief(actual)}`),
    );
  }
  if (!isObject(actual)) return [`${name} is ${brief(actual)}, not an object`];
  return Object.entries(expected).flatMap(([key, value]) =>
    match(value, Object.hasOwn(actual, key) ? actual[key] : undefined, {
      saved,
      path: path ? `${path}.${key}` : key,
    }),
  );
};

/** What a comparison works with. */
export interface MatchScope {
  readonly saved: SavedValues;
  /** Where the value is, for the messages. Default: the root. */
  readonly path?: string;
}

/**
 * Returns what is wrong with the actual value, as a text that can follow "it"; undefined or an empty list when the
 * value matches.
 */
type Matcher = (argument: unknown, actual: unknown, scope: MatchScope) => string | undefined | string[];

const itemsOf = (actual: unknown): readonly unknown[] => (Array.isArray(actual) ? actual : []);
const matches = (expected: unknown, actual: unknown, scope: MatchScope): boolean =>
  match(expected, actual, scope).length === 0;

const MATCHERS: Readonly<Record<string, Matcher>> = {
  $any: (_argument, actual) => (actual === undefined ? 'is absent' : undefined),
  $absent: (_argument, actual) => (actual === undefined ? undefined : 'is present'),
  $match: (argument, actual) =>
    typeof actual === 'string' && new RegExp(String(argument), 'u').test(actual)
      ? undefined
      : `does not match /${argument}/`,
  $type: (argument, actual) =>
    hasType(String(argument), actual) ? undefined : `does not have the type ${argument}`,
  $min: (argument, actual) =>
    typeof actual === 'number' && actual >= Number(argument) ? undefined : `is less than ${argument}`,
  $max: (argument, actual) =>
    typeof actual === 'number' && actual <= Number(argument) ? undefined : `is more than ${argument}`,
  $length: (argument, actual) =>
    (actual as { length?: unknown } | null | undefined)?.length === argument
      ? undefined
      : `does not have the length ${argument}`,
  $oneOf: (argument, actual, scope) =>
    itemsOf(argument).some((one) => matches(one, actual, scope))
      ? undefined
      : `is not one of ${brief(argument)}`,
  $has: (argument, actual, scope) =>
    itemsOf(argument)
      .filter((one) => !itemsOf(actual).some((item) => matches(one, item, scope)))
      .map((one) => `has no item like ${brief(one)}`),
  $none: (argument, actual, scope) =>
    !Array.isArray(actual) || actual.some((item) => matches(argument, item, scope))
      ? `is not a list without ${brief(argument)}`
      : undefined,
  $each: (argument, actual, { saved, path }) =>
    Array.isArray(actual)
      ? actual.flatMap((item, at) => match(argument, item, { saved, path: `${path}[${at}]` }))
      : 'is not a list',
  $exactly: (argument, actual, { saved }) => {
    const extra = Object.keys(isObject(actual) ? actual : {}).filter(
      (name) => !Object.hasOwn(argument as object, name),
    );
    return [
      ...match(argument, actual, { saved }),
      ...extra.map((name) => `has the unexpected field ${name}`),
    ];
  },
  $keep: (argument, actual, { saved }) => {
    if (actual === undefined) return 'is absent';
    saved.set(String(argument), actual);
    return undefined;
  },
  $is: (argument, actual, { saved }) =>
    sameJson(saved.get(String(argument)), actual)
      ? undefined
      : `is not ${argument}, ${brief(saved.get(String(argument)))}`,
  $isnt: (argument, actual, { saved }) =>
    sameJson(saved.get(String(argument)), actual) ? `is ${argument}` : undefined,
  $lacks: (argument, actual) =>
    JSON.stringify(actual ?? null).includes(String(argument)) ? `contains ${brief(argument)}` : undefined,
  $sorted: (argument, actual) => {
    const sign = argument === 'desc' ? -1 : 1;
    const sorted = itemsOf(actual).every(
      (item, at, all) => at === 0 || sign * compare(all[at - 1], item) <= 0,
    );
    return Array.isArray(actual) && sorted ? undefined : `is not in order (${argument})`;
  },
};

const compare = (left: unknown, right: unknown): number =>
  (left as string) < (right as string) ? -1 : (left as string) > (right as string) ? 1 : 0;

const matcherOf = (name: string): Matcher => {
  const found = Object.hasOwn(MATCHERS, name) ? MATCHERS[name] : undefined;
  if (!found) throw new Error(`the suite uses ${name}, which this version does not know`);
  return found;
};

const hasType = (type: string, value: unknown): boolean => {
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
};

/** Replaces `{name}` in texts and `{"$kept": "name"}` by the saved value of that name. */
export const substitute = (value: unknown, saved: SavedValues): unknown => {
  if (typeof value === 'string') {
    return value.replace(/\{(\w+)\}/g, (whole, name: string) =>
      saved.has(name) ? String(saved.get(name)) : whole,
    );
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, saved));
  if (!isObject(value)) return value;
  const name = value['$kept'];
  if (typeof name === 'string') return saved.get(name);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [substitute(key, saved) as string, substitute(item, saved)]),
  );
};

import { type Condition, type Context, isPatternValid, type Ruleset } from '@flagsvc/sdk-core';
import { ApiError } from '../http/errors.ts';

/** The most that matching one attribute by one pattern may cost: characters times states (decision 0121). */
export const PATTERN_WORK_MAX = 10_000_000;
/** No pattern has more states (decision 0008). */
const STATES_MAX = 10_000;

type Attributes = NonNullable<Context['attributes']>;
type Asked = Pick<Ruleset, 'segments'> & {
  readonly flags: readonly Pick<Ruleset['flags'][number], 'targeting_rules'>[];
};

/** An attribute that is too long for a pattern that asks for it. */
export interface TooLong {
  readonly attribute: string;
  readonly length: number;
  readonly states: number;
  /** How long it may be. */
  readonly maximum: number;
}

/**
 * The first attribute of a context that some pattern of the ruleset would take too long to read. Texts that are short
 * enough for any pattern cost a look at their length.
 */
export function findTooLong(ruleset: Asked, { user_key, attributes = {} }: Context): TooLong | undefined {
  for (const attribute in attributes) {
    const found = check(ruleset, attribute, attributes[attribute]);
    if (found !== undefined) return found;
  }
  return Object.hasOwn(attributes, 'user_key') ? undefined : check(ruleset, 'user_key', user_key);
}

/** Throws LIMIT_EXCEEDED for it. */
export function requireReadable(ruleset: Asked, context: Context, field = 'context'): void {
  const found = findTooLong(ruleset, context);
  if (found === undefined) return;
  const { attribute, maximum } = found;
  const isUserKey = attribute === 'user_key' && !Object.hasOwn(context.attributes ?? {}, attribute);
  throw new ApiError('LIMIT_EXCEEDED', {
    message: wordsOf(found),
    details: {
      field: `${field}.${isUserKey ? '' : 'attributes.'}${attribute}`,
      location: 'body',
      limit: 'pattern_work',
      maximum,
    },
  });
}

/** What is wrong, and what helps. */
export function wordsOf({ attribute, length, states, maximum }: TooLong): string {
  return (
    `The attribute "${attribute}" has ${length} characters, and a regular expression of ${states} states asks for it: ` +
    `such a one reads at most ${maximum}. Send a shorter text, or make the expression smaller.`
  );
}

function check(
  ruleset: Asked,
  attribute: string,
  value: Attributes[string] | undefined,
): TooLong | undefined {
  const length = lengthOf(value);
  if (length * STATES_MAX <= PATTERN_WORK_MAX) return undefined;
  const states = statesIn(ruleset).get(attribute) ?? 0;
  if (length * states <= PATTERN_WORK_MAX) return undefined;
  return { attribute, length, states, maximum: Math.floor(PATTERN_WORK_MAX / states) };
}

/** Of a list, each text is read by itself, and even an empty one is begun. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return 0;
  return value.reduce(
    (sum: number, item) => sum + (typeof item === 'object' ? 0 : String(item).length + 1),
    0,
  );
}

const known = new WeakMap<object, ReadonlyMap<string, number>>();

/** By attribute, the states of the largest pattern that asks for it; counted when a long text comes, once. */
function statesIn(ruleset: Asked): ReadonlyMap<string, number> {
  let states = known.get(ruleset);
  if (states === undefined) {
    states = countStates(ruleset);
    known.set(ruleset, states);
  }
  return states;
}

function countStates({ flags, segments }: Asked): ReadonlyMap<string, number> {
  const largest = new Map<string, number>();
  const count = (conditions: readonly Condition[]): void => {
    for (const condition of conditions) {
      if (condition.operator !== 'matches_regex') continue;
      const { attribute } = condition;
      largest.set(attribute, Math.max(largest.get(attribute) ?? 0, statesOf(condition)));
    }
  };
  for (const { targeting_rules } of flags) for (const { conditions } of targeting_rules) count(conditions);
  for (const { conditions } of segments) count(conditions);
  return largest;
}

const counted = new WeakMap<Condition, number>();

/** Kept by condition, because a version has most of them in common with the one before. */
function statesOf(condition: Condition): number {
  let states = counted.get(condition);
  if (states === undefined) {
    const pattern = String(condition.value);
    states = isPatternValid(pattern) ? patternStates(pattern) : 0;
    counted.set(condition, states);
  }
  return states;
}

/** The states of a valid pattern, counted as decision 0008 says. */
export function patternStates(source: string): number {
  const pattern = source.replace(/^\(\?[ims]+\)/, '');
  // An escape, a class, a parenthesis, a bar or anything else; then how often.
  const token = /\\?./gsu;
  const sums = [0];
  let at = 0;
  while (at < pattern.length) {
    let size = 1;
    token.lastIndex = at;
    const [text] = token.exec(pattern)!;
    at += text.length;
    if (text === '(') {
      if (pattern.startsWith('?:', at)) at += 2;
      sums.push(0);
      continue;
    }
    if (text === '|') continue;
    if (text === ')') size = sums.pop()!;
    else if (text === '[') at = endOfClass(pattern, at);
    const [all = '', exact, comma, most] = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(pattern.slice(at)) ?? [];
    at += all.length;
    sums[sums.length - 1]! += size * repeats(exact, comma, most);
  }
  return sums[0]!;
}

function endOfClass(pattern: string, from: number): number {
  const end = /(?:\\.|[^\]\\])*\]/gsuy;
  end.lastIndex = from;
  return from + end.exec(pattern)![0].length;
}

function repeats(exact: string | undefined, comma: string | undefined, most: string | undefined): number {
  if (exact === undefined) return 1;
  if (most) return Number(most);
  return comma === undefined ? Number(exact) : Math.max(1, Number(exact));
}

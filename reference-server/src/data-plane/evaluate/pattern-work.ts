import { type Condition, type Context, type Flag, isPatternValid, type Segment } from '@flagsvc/sdk-core';
import { ApiError } from '../../http/errors.ts';
import { patternWeight } from './pattern-states.ts';

/** What the patterns of one flag may read, those of its segments and prerequisites included: characters times states. */
export const FLAG_WORK_MAX = 700_000;
/** What the patterns of all flags of a request may read. */
export const REQUEST_WORK_MAX = 10_000_000;

/** What patterns cost for each character that they read, by the attribute that they read. */
export type Weights = ReadonlyMap<string, number>;

/** How much of an attribute a pattern reads: its characters, and one more for each text. */
export type Lengths = (attribute: string) => number;

/** What the patterns of some flags cost. */
export interface PatternLoad {
  /** Of all these flags, each counted once. */
  readonly total: Weights;
  /** Of one flag and all that its prerequisites lead to; empty for an unknown one. */
  weightsOf(flagKey: string): Iterable<Weights>;
}

/** Why a context is refused. */
export interface TooMuch {
  /** The flag or the flags that would read too much, as the subject of a sentence. */
  readonly who: string;
  /** Where it is one flag. */
  readonly flagKey?: string;
  readonly work: number;
  readonly maximum: number;
  /** The part of the context that costs the most, `attributes.note` or `user_key`, and its length in characters. */
  readonly field: string;
  readonly characters: number;
}

/** Finds lengths when they are asked for: most attributes are read by no pattern. */
export function lengthsOf({ user_key, attributes = {} }: Context): Lengths {
  const lists = new Map<string, number>();
  return (name) => {
    const isOwn = Object.hasOwn(attributes, name);
    const value = isOwn ? attributes[name] : name === 'user_key' ? user_key : undefined;
    if (!Array.isArray(value)) return lengthOf(value);
    let length = lists.get(name);
    if (length === undefined) {
      length = value.reduce((sum: number, item) => sum + lengthOf(item), 0);
      lists.set(name, length);
    }
    return length;
  };
}

/** Even an empty text is begun. Lists in lists and objects have no text. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 1;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value).length + 1 : 0;
}

/** What patterns of these weights read of a context. */
export function workOf(weights: Weights, lengths: Lengths): number {
  let work = 0;
  for (const [attribute, weight] of weights) work += weight * lengths(attribute);
  return work;
}

/** What one flag's patterns read of a context, those of its prerequisites included. */
export function flagWork(load: PatternLoad, flagKey: string, lengths: Lengths): number {
  let work = 0;
  for (const weights of load.weightsOf(flagKey)) work += workOf(weights, lengths);
  return work;
}

/** The same, or why it is more than a flag may read. */
export function measureFlag(
  load: PatternLoad,
  flagKey: string,
  context: Context,
  lengths: Lengths = lengthsOf(context),
): number | TooMuch {
  const work = flagWork(load, flagKey, lengths);
  if (work <= FLAG_WORK_MAX) return work;
  const weights = sumOf(load.weightsOf(flagKey));
  return {
    who: `The flag "${flagKey}"`,
    flagKey,
    work,
    maximum: FLAG_WORK_MAX,
    ...dearest(weights, context, lengths),
  };
}

/** What flags of these weights read together, or why it is more than a request may read. */
export function measureRequest(
  work: number,
  weights: Weights,
  context: Context,
  lengths: Lengths = lengthsOf(context),
): number | TooMuch {
  if (work <= REQUEST_WORK_MAX) return work;
  const who = 'The flags of this request';
  return { who, work, maximum: REQUEST_WORK_MAX, ...dearest(weights, context, lengths) };
}

/** The part of the context that costs the most. */
function dearest(
  weights: Weights,
  { attributes = {} }: Context,
  lengths: Lengths,
): Pick<TooMuch, 'field' | 'characters'> {
  let [most, attribute] = [-1, ''];
  for (const [name, weight] of weights) {
    const work = weight * lengths(name);
    if (work > most) [most, attribute] = [work, name];
  }
  const isUserKey = attribute === 'user_key' && !Object.hasOwn(attributes, attribute);
  return {
    field: isUserKey ? attribute : `attributes.${attribute}`,
    characters: lengths(attribute) - 1,
  };
}

/** Throws LIMIT_EXCEEDED where it is too much; `field` is the context's place in the body. */
export function requireWork(measured: number | TooMuch, field = 'context'): number {
  if (typeof measured === 'number') return measured;
  const { flagKey, work, maximum } = measured;
  throw new ApiError('LIMIT_EXCEEDED', {
    message: wordsOf(measured),
    details: {
      field: `${field}.${measured.field}`,
      location: 'body',
      limit: 'pattern_work',
      maximum,
      work,
      ...(flagKey !== undefined && { flag_key: flagKey }),
    },
  });
}

/** What is wrong, and what helps. */
export function wordsOf({ who, work, maximum, field, characters }: TooMuch): string {
  const fewer = maximum === REQUEST_WORK_MAX ? ' ask for fewer flags,' : '';
  return (
    `${who} would read too much by regular expressions: ${work} characters times states, of at most ${maximum}. ` +
    `Most is due to ${field}, which has ${characters} characters. ` +
    `Send a shorter text,${fewer} or make the expressions smaller.`
  );
}

/** A flag that reads something, or waits for others that may. */
interface Own {
  readonly weights: Weights;
  readonly prerequisites: readonly string[];
}

/** By its key, what a segment asks. */
export type SegmentConditions = ReadonlyMap<string, readonly Condition[]>;

export function conditionsOf(segments: readonly Segment[]): SegmentConditions {
  return new Map(segments.map(({ key, conditions }) => [key, conditions]));
}

/** What a flag's own rules read; a segment counts wherever a rule names it, because it is asked there anew. */
export function ownWeights(
  { enabled, targeting_rules }: Pick<Flag, 'enabled' | 'targeting_rules'>,
  segments: SegmentConditions,
): Weights {
  const weights = new Map<string, number>();
  // Nothing is asked for a flag that is off.
  if (enabled) for (const { conditions } of targeting_rules) addConditions(weights, conditions, segments);
  return weights;
}

/** Counts the patterns of flags. */
export function createPatternLoad(flags: readonly Flag[], segments: SegmentConditions): PatternLoad {
  const owns = new Map<string, Own>();
  for (const flag of flags) {
    const { key, enabled, prerequisites } = flag;
    if (!enabled) continue;
    const weights = ownWeights(flag, segments);
    const own = { weights, prerequisites: (prerequisites ?? []).map(({ flag_key }) => flag_key) };
    if (weights.size > 0 || own.prerequisites.length > 0) owns.set(key, own);
  }
  return {
    total: sumOf(Array.from(owns.values(), ({ weights }) => weights)),
    *weightsOf(flagKey) {
      // Walks those that it adds, too.
      const met = new Set([flagKey]);
      for (const key of met) {
        const own = owns.get(key);
        if (own === undefined) continue;
        yield own.weights;
        for (const other of own.prerequisites) met.add(other);
      }
    },
  };
}

function addConditions(
  into: Map<string, number>,
  conditions: readonly Condition[],
  segments: SegmentConditions = new Map(),
): void {
  for (const condition of conditions) {
    const { attribute, operator, value } = condition;
    if (attribute === '$segment') {
      for (const key of [value].flat()) addConditions(into, segments.get(String(key)) ?? []);
    } else if (operator === 'matches_regex') {
      into.set(attribute, (into.get(attribute) ?? 0) + weightOf(condition));
    }
  }
}

/** Adds weights up. */
export function sumOf(all: Iterable<Weights>): Weights {
  const sum = new Map<string, number>();
  for (const weights of all) {
    for (const [attribute, weight] of weights) sum.set(attribute, (sum.get(attribute) ?? 0) + weight);
  }
  return sum;
}

const counted = new WeakMap<Condition, number>();

/** Kept by condition, because a version has most of them in common with the one before. */
function weightOf(condition: Condition): number {
  let weight = counted.get(condition);
  if (weight === undefined) {
    const pattern = String(condition.value);
    weight = isPatternValid(pattern) ? patternWeight(pattern) : 0;
    counted.set(condition, weight);
  }
  return weight;
}

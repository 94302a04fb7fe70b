import { type Condition, type Context, type Flag, isPatternValid, type Segment } from '@flagsvc/sdk-core';
import { patternWeight } from './pattern-states.ts';

/**
 * Maximum work of the conditions of one flag, its segments and prerequisites, in characters times states of regular
 * expressions. Other operators count as a fraction of a state.
 */
export const FLAG_WORK_MAX = 700_000;
/** Maximum work of the conditions of all flags of a request, in characters times states. */
export const REQUEST_WORK_MAX = 10_000_000;

/** The cost of conditions per character, by the attribute that they read. */
export type Weights = ReadonlyMap<string, number>;

/** The lengths of the parts of a context that conditions may read. */
export interface Lengths {
  /** How much a condition on the attribute reads: the characters of its value or values, plus one for each value. */
  lengthOf(attribute: string): number;
  /** The path of the attribute in the context, such as `attributes.note` or `user_key`. */
  fieldOf(attribute: string): string;
}

/** The cost of the conditions of some flags. */
export interface PatternLoad {
  /** All flags together, each counted once. */
  readonly total: Weights;
  /** The weights of a flag and of all flags that its prerequisites lead to; empty for an unknown flag. */
  weightsOf(flagKey: string): Iterable<Weights>;
}

/** Why a context is refused. */
export interface ExcessiveWork {
  /** The flag or flags with too much work, as the subject of a sentence. */
  readonly who: string;
  /** Present if it is one flag. */
  readonly flagKey?: string;
  readonly work: number;
  readonly maximum: number;
  /** The part of the context that costs most (`attributes.note`, `user_key`), and its length in characters. */
  readonly field: string;
  readonly characters: number;
}

/** Computes lengths on demand, because conditions read only a few of the attributes. */
export function lengthsOf({ user_key, attributes = {} }: Context): Lengths {
  const lists = new Map<string, number>();
  const isUserKey = (name: string): boolean => name === 'user_key' && !Object.hasOwn(attributes, name);
  const read = (name: string): unknown => {
    if (isUserKey(name)) return user_key;
    return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  };
  return {
    lengthOf(name) {
      const value = read(name);
      if (!Array.isArray(value)) return lengthOf(value);
      let length = lists.get(name);
      if (length === undefined) {
        length = value.reduce((sum: number, item) => sum + lengthOf(item), 0);
        lists.set(name, length);
      }
      return length;
    },
    fieldOf: (name) => (isUserKey(name) ? name : `attributes.${name}`),
  };
}

/** The number of characters plus one, so that even an empty text counts. Nested lists and objects count as nothing. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 1;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value).length + 1 : 0;
}

/** The work of conditions with these weights on a context. */
export function workOf(weights: Weights, lengths: Lengths): number {
  let work = 0;
  for (const [attribute, weight] of weights) work += weight * lengths.lengthOf(attribute);
  return work;
}

/** The work of the conditions of a flag and its prerequisites on a context. */
export function flagWork(load: PatternLoad, flagKey: string, lengths: Lengths): number {
  let work = 0;
  for (const weights of load.weightsOf(flagKey)) work += workOf(weights, lengths);
  return work;
}

/** The work as `flagWork` returns it, or the reason why it exceeds the limit of one flag. */
export function measureFlag(load: PatternLoad, flagKey: string, lengths: Lengths): number | ExcessiveWork {
  const work = flagWork(load, flagKey, lengths);
  if (work <= FLAG_WORK_MAX) return work;
  const who = `The flag "${flagKey}"`;
  const largest = mostExpensive(sumOf(load.weightsOf(flagKey)), lengths);
  return { who, flagKey, work: Math.ceil(work), maximum: FLAG_WORK_MAX, ...largest };
}

/**
 * Returns the work of a whole request, or the reason why it exceeds the limit. `weights` are the weights of the
 * request's flags.
 */
export function measureRequest(work: number, weights: Weights, lengths: Lengths): number | ExcessiveWork {
  if (work <= REQUEST_WORK_MAX) return work;
  const who = 'The flags of this request';
  return { who, work: Math.ceil(work), maximum: REQUEST_WORK_MAX, ...mostExpensive(weights, lengths) };
}

/** The part of the context that costs most. */
function mostExpensive(weights: Weights, lengths: Lengths): Pick<ExcessiveWork, 'field' | 'characters'> {
  let [most, attribute] = [-1, ''];
  for (const [name, weight] of weights) {
    const work = weight * lengths.lengthOf(name);
    if (work > most) [most, attribute] = [work, name];
  }
  return { field: lengths.fieldOf(attribute), characters: lengths.lengthOf(attribute) - 1 };
}

/** The conditions of each segment, by segment key. */
export type SegmentConditions = ReadonlyMap<string, readonly Condition[]>;

export function conditionsOf(segments: readonly Segment[]): SegmentConditions {
  return new Map(segments.map(({ key, conditions }) => [key, conditions]));
}

/**
 * The cost of a flag's own rules. A segment counts once per rule that names it, because each of these rules evaluates
 * it again.
 */
export function ownWeights(
  { enabled, targeting_rules }: Pick<Flag, 'enabled' | 'targeting_rules'>,
  segments: SegmentConditions,
): Weights {
  const weights = new Map<string, number>();
  // A flag that is off evaluates no rule.
  if (enabled) for (const { conditions } of targeting_rules) addConditions(weights, conditions, segments);
  return weights;
}

/** The cost of the conditions of these flags. */
export function createPatternLoad(flags: readonly Flag[], segments: SegmentConditions): PatternLoad {
  const enabled = new Map(flags.flatMap((flag) => (flag.enabled ? [[flag.key, flag] as const] : [])));
  const total = new Map<string, number>();
  for (const { targeting_rules } of enabled.values()) {
    for (const { conditions } of targeting_rules) addConditions(total, conditions, segments);
  }
  /** Filled on demand: few requests are heavy enough to be measured flag by flag. */
  const known = new Map<string, Weights>();
  const weightsOfOne = (flag: Flag): Weights => {
    const weights = known.get(flag.key) ?? ownWeights(flag, segments);
    known.set(flag.key, weights);
    return weights;
  };
  return {
    total,
    *weightsOf(flagKey) {
      // The loop also visits the keys that it adds.
      const reached = new Set([flagKey]);
      for (const key of reached) {
        const flag = enabled.get(key);
        if (flag === undefined) continue;
        yield weightsOfOne(flag);
        for (const { flag_key } of flag.prerequisites ?? []) reached.add(flag_key);
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
    const { attribute, value } = condition;
    if (attribute === '$segment') {
      for (const key of [value].flat()) addConditions(into, segments.get(String(key)) ?? []);
    } else {
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

/** Comparing or searching 25 characters takes as long as matching one character with one state of a pattern. */
const PLAIN_WEIGHT = 0.04;
const VERSION_WEIGHT = 0.5;
/** A search for half a surrogate pair has to compare code point by code point. */
const HALF_PAIR_WEIGHT = 1;

/** The cost of a condition per character. */
function weightOf(condition: Condition): number {
  switch (condition.operator) {
    case 'matches_regex':
      return weightOfPattern(condition);
    case 'version_gt':
    case 'version_lt':
      return VERSION_WEIGHT;
    case 'contains':
    case 'not_contains':
      return /\p{Cs}/u.test(String(condition.value)) ? HALF_PAIR_WEIGHT : PLAIN_WEIGHT;
    default:
      return PLAIN_WEIGHT;
  }
}

const counted = new WeakMap<Condition, number>();

/** Cached by condition, because most conditions are the same objects in the next version. */
function weightOfPattern(condition: Condition): number {
  let weight = counted.get(condition);
  if (weight === undefined) {
    const pattern = String(condition.value);
    weight = isPatternValid(pattern) ? patternWeight(pattern) : 0;
    counted.set(condition, weight);
  }
  return weight;
}

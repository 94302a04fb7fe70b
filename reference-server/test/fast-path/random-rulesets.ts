import type { Condition, Flag, Json, Ruleset, Segment, TargetingRule } from '@flagsvc/sdk-core';
import type { Dice } from '../flagd/random-project.ts';

/** Keys with a special meaning in JavaScript, JSON or HTML. */
const HOSTILE_KEYS = [
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '10', '9', '-1', '', ' ', '*'],
  ...['"', '\\', '\n', '\u2028', 'ü', '😀', '\ud800', '</script>', '$segment', 'a,b', 'a":{"b'],
];
const ORDINARY_KEYS = Array.from({ length: 200 }, (_, index) => `team-${index % 7}-feature-${index}`);
const KEYS = [...ORDINARY_KEYS, ...HOSTILE_KEYS];
/** Flags that change often and are prerequisites of many others, so that changes reach other chunks. */
const POPULAR_KEYS = ORDINARY_KEYS.slice(0, 10);
const SEGMENT_KEYS = ['staff', 'beta', 'unknown', '__proto__'];
const VARIATIONS = ['on', 'off', 'half', 'ü"'];

/** Attributes of conditions and contexts. They have few values, so that flags share conditions and users fall into groups. */
export const ATTRIBUTES = {
  plan: ['free', 'pro', 'team'],
  country: ['DE', 'FR', 'US'],
  role: ['staff', 'member'],
  age: [17, 18, '18', 40.5],
  version: ['1.9.0', '2.4.1', 'latest'],
  ['__proto__']: ['x', 'y'],
} as Readonly<Record<string, readonly Json[]>>;

const CONDITIONS: readonly Condition[] = [
  { attribute: 'plan', operator: 'is', value: 'pro' },
  { attribute: 'plan', operator: 'is_not', value: 'free' },
  { attribute: 'plan', operator: 'one_of', value: ['pro', 'team'] },
  { attribute: 'country', operator: 'is', value: 'DE' },
  { attribute: 'country', operator: 'not_one_of', value: ['US'] },
  { attribute: 'age', operator: 'gt', value: 17 },
  { attribute: 'version', operator: 'version_gt', value: '2.0.0' },
  { attribute: 'user_key', operator: 'contains', value: '1' },
  { attribute: '__proto__', operator: 'is', value: 'x' },
  { attribute: '$segment', operator: 'one_of', value: ['staff'] },
  { attribute: '$segment', operator: 'not_one_of', value: ['beta', 'unknown'] },
  { attribute: '$segment', operator: 'is', value: 'staff' },
];
/** Regular expressions. They are rare, since otherwise most requests would be heavy. */
const PATTERNS: readonly Condition[] = [
  { attribute: 'note', operator: 'matches_regex', value: 'x{40}$' },
  { attribute: 'note', operator: 'matches_regex', value: '(a|b){200}' },
  { attribute: 'note', operator: 'matches_regex', value: '(' },
];

function randomRule(dice: Dice, index: number): TargetingRule {
  const conditions = dice.some(CONDITIONS, 2);
  if (dice.chance(0.02)) conditions.push(dice.one(PATTERNS));
  const id = `rule_${index}`;
  // Few priorities, so that rules often have equal ones and must keep their order.
  const priority = dice.below(3);
  if (dice.chance(0.7)) return { id, priority, conditions, variation: dice.one([...VARIATIONS, 'unknown']) };
  const percentage_rollout = dice
    .some(VARIATIONS, 3)
    .map((variation) => ({ variation, percentage: dice.one([0, 10, 33]) }));
  return { id, priority, conditions, percentage_rollout, ...(dice.chance(0.3) && { bucketing: 2 }) };
}

function randomFlag(dice: Dice, key: string): Flag {
  const flag_type = dice.one(['boolean', 'string', 'number', 'json'] as const);
  const values: Readonly<Record<Flag['flag_type'], readonly Json[]>> = {
    boolean: [true, false],
    string: ['an "ö" 😀', '\u2028', ''],
    number: [1, -0.5, 1e21],
    json: [{ b: [1, null], a: { '10': 1, '9': 2 } }, [], { ['__proto__']: 1 }],
  };
  const keys = VARIATIONS.slice(0, 2 + dice.below(3));
  return {
    key,
    flag_type,
    enabled: !dice.chance(0.15),
    variations: keys.map((name) => ({ key: name, value: dice.one(values[flag_type]) })),
    // An unknown default makes the flag broken.
    default_variation: dice.chance(0.01) ? 'unknown' : dice.one(keys),
    targeting_rules: Array.from({ length: dice.one([0, 0, 1, 1, 1, 2, 3]) }, (_, index) =>
      randomRule(dice, index),
    ),
    ...(dice.chance(0.2) && {
      prerequisites: [
        { flag_key: dice.one([...POPULAR_KEYS, ...KEYS.slice(-5)]), variation: dice.one(['on', 'off']) },
      ],
    }),
    ...(dice.chance(0.5) && { client_side: true }),
    ...(dice.chance(0.02) && { track_exposures: true }),
    ...(dice.chance(0.05) && { archived: true }),
  };
}

function randomSegments(dice: Dice): readonly Segment[] {
  return SEGMENT_KEYS.filter(() => dice.chance(0.6))
    .filter((key) => key !== 'unknown')
    .map((key) => ({ id: `seg_${key}`, key, conditions: dice.some(CONDITIONS.slice(0, 8), 2) }));
}

const inOrder = (flags: readonly Flag[]): Flag[] =>
  [...flags].sort((left, right) => (left.key < right.key ? -1 : 1));

/** Successive versions of a ruleset. Unchanged flags are the same objects. */
export function* randomVersions(dice: Dice, count: number): Iterable<Ruleset> {
  const size = dice.one([0, 5, 20, 70, 110, 140]);
  // A host of the plugin may pass rulesets that this server would not compile: unsorted, with repeated keys.
  const isSorted = !dice.chance(0.1);
  const keys = Array.from({ length: size }, () => dice.one(KEYS));
  let flags = new Map(keys.map((key) => [key, randomFlag(dice, key)]));
  let segments = randomSegments(dice);
  for (let version = 1; version <= count; version++) {
    const unordered = [...flags.values()];
    const list = isSorted ? inOrder(unordered) : [...unordered, ...unordered.slice(0, 2)];
    const fetched_at = new Date(1_800_000_000_000 + version).toISOString();
    yield { version, environment_id: 'env_1', flags: list, segments, fetched_at };
    flags = new Map(flags);
    for (let change = dice.below(4); change > 0; change--) {
      const key = dice.one(dice.chance(0.7) ? POPULAR_KEYS : KEYS);
      if (dice.chance(0.2)) flags.delete(key);
      else flags.set(key, randomFlag(dice, key));
    }
    if (dice.chance(0.1)) segments = randomSegments(dice);
  }
}

import type { Condition, Json, Operator, Prerequisite, RolloutEntry } from '@flagsvc/sdk-core';
import { createSeededRandom } from '@flagsvc/sdk-core/testing';
import type { FlagState } from '../../src/control-plane/features/flags/flag-state.ts';
import type { SegmentRow } from '../../src/publishing/compile-segments.ts';

/** Random choices, reproducible by their seed. */
export interface Dice {
  readonly below: (count: number) => number;
  readonly chance: (share: number) => boolean;
  readonly one: <T>(of: readonly T[]) => T;
  readonly some: <T>(of: readonly T[], most: number) => T[];
}

export function createDice(seed: number): Dice {
  const random = createSeededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const one = <T>(of: readonly T[]): T => of[below(of.length)]!;
  const some = <T>(of: readonly T[], most: number): T[] =>
    Array.from({ length: below(most + 1) }, () => one(of));
  return { below, chance: (share) => random() < share, one, some };
}

/** Attributes of rules, with the values that contexts have. */
export const ATTRIBUTES = {
  country: ['de', 'fr', 'DE', '', 'ü', '$&', 'US$$'],
  email: [
    'a@example.com',
    'x@evil.com',
    'a@example.com.evil.com',
    'ue\u0308@example.com',
    '@',
    '😀@example.com',
  ],
  plan: ['pro', 'free', 'true', '5', 'null', '[object Object]'],
  age: [0, 5, 17.5, 18, -3, 1e21, 2 ** 53, 0.1, '5', '007', '.5', ' 5', '', '0x10', 'five', 'Infinity'],
  score: [1.05, 2, 2.5, -0, 5e-324, '1e3', '+2', '1.', '1_000'],
  beta: [true, false, 'true', 'false', 'TRUE'],
  version: [
    ...['1.2.3', 'v1.2.3', '2', '1.10', 'V2.0.0', '1.0.0-rc.1', '1-rc.1', '1.0.0+build', '01.2.3', ' 1.2.3'],
    ...['1.2.3 ', 'vv2.0.0', 'v 2.0.0', '1.2.3.4', 'latest', '99999999999999999999.0.0', '1.0.0-rc.10', 2],
  ],
  roles: ['admin', 'user', 'a,b', 1],
  user_key: ['u-1', 'u-2', 'u-3', ''],
  // The following names have a special meaning in JSONLogic paths or in JavaScript.
  'plan.name': ['pro', 'free'],
  targetingKey: ['u-1', 'x'],
  ['__proto__']: ['x', 'y'],
  constructor: ['x', 'y'],
  '0': ['x', 'y'],
  length: [1, 2, '3'],
  'a\\b': ['x', 'y'],
  'a/b': ['x', 'y'],
} as Readonly<Record<string, readonly (string | number | boolean)[]>>;

/** Names that most rules use. */
const USUAL = ['country', 'email', 'plan', 'age', 'score', 'beta', 'version', 'roles', 'user_key'];
const NAMES = [...USUAL, ...USUAL, ...USUAL, ...Object.getOwnPropertyNames(ATTRIBUTES)];

const PATTERNS = [
  '^a',
  'evil\\.com$',
  'example',
  '^de$',
  '(de|fr)',
  '^$',
  '[0-9]+',
  '(?i)PRO',
  '5$',
  '^t',
  'a-b',
];
const VERSIONS = [
  '1.2.3',
  'v1.2',
  '2',
  '1.0.0-rc.2',
  '1-rc.1',
  '1.0.0+x',
  '1.0.0-99999999999999999999.1',
  'V1.9.9',
];
const SEGMENTS = ['staff', 'everyone', 'nobody', 'listed', 'odd', 'patterned', 'numbers', 'dollars'];

export type ScopedFlag = Pick<
  FlagState,
  'key' | 'flagType' | 'status' | 'enabled' | 'variations' | 'defaultVariation' | 'rules' | 'prerequisites'
>;

export interface RandomProject {
  readonly flags: readonly ScopedFlag[];
  readonly segments: readonly SegmentRow[];
}

/** Which features random flags use. */
export interface Options {
  readonly patterns: boolean;
  readonly rollouts: boolean;
}

function randomValue(dice: Dice, attribute: string, operator: Operator): Json {
  const values = ATTRIBUTES[attribute]!;
  switch (operator) {
    case 'one_of':
    case 'not_one_of':
      return dice.some(values, 3);
    case 'contains':
    case 'not_contains':
      return dice.one(['a', '@example.com', '5', 'e', '', 'tr', '.', '$&', '\ud83d', dice.one(values)]);
    case 'gt':
    case 'lt':
      return dice.one([0, 5, 17.5, -1, '5', '1e3', 1e21]);
    case 'matches_regex':
      return dice.one(PATTERNS);
    case 'version_gt':
    case 'version_lt':
      return dice.one(VERSIONS);
    default:
      return dice.one(values);
  }
}

const OPERATORS: readonly Operator[] = [
  ...(['is', 'is_not', 'contains', 'not_contains', 'one_of', 'not_one_of'] as const),
  ...(['gt', 'lt', 'version_gt', 'version_lt', 'matches_regex'] as const),
];

/** Operators that most rules use for an attribute. */
const USUAL_OPERATORS: ReadonlyMap<string, readonly Operator[]> = new Map([
  ['age', ['gt', 'lt', 'is', 'one_of']],
  ['score', ['gt', 'lt', 'is_not']],
  ['version', ['version_gt', 'version_lt', 'is']],
]);

export function randomCondition(dice: Dice, { patterns }: Pick<Options, 'patterns'>): Condition {
  const attribute = dice.one(NAMES);
  const usual = dice.chance(0.7) ? USUAL_OPERATORS.get(attribute) : undefined;
  const allowed = (usual ?? OPERATORS).filter((one) => patterns || one !== 'matches_regex');
  const operator = dice.one(allowed);
  return { attribute, operator, value: randomValue(dice, attribute, operator) };
}

function segmentCondition(dice: Dice): Condition {
  const value = [dice.one(SEGMENTS), ...dice.some(SEGMENTS, 1)];
  return { attribute: '$segment', operator: dice.one(['one_of', 'not_one_of'] as const), value };
}

const VARIATIONS: Readonly<Record<FlagState['flagType'], readonly { key: string; value: Json }[]>> = {
  boolean: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  string: [
    { key: 'a', value: 'A' },
    { key: 'b', value: '' },
    { key: 'true', value: '$ref' },
  ],
  number: [
    { key: 'low', value: 0 },
    { key: 'high', value: 1e21 },
    { key: 'mid', value: -0.5 },
  ],
  json: [
    { key: 'x', value: { deep: [1, null, { $ref: 'nobody' }] } },
    { key: 'y', value: {} },
  ],
};

function randomRollout(dice: Dice, keys: readonly string[]): RolloutEntry[] {
  let left = 100;
  return dice.some(keys, 4).map((variation) => {
    const percentage = dice.below(left + 1);
    left -= percentage;
    return { variation, percentage };
  });
}

function randomFlag(dice: Dice, key: string, others: readonly ScopedFlag[], options: Options): ScopedFlag {
  const flagType = dice.one(['boolean', 'boolean', 'string', 'number', 'json'] as const);
  const values = VARIATIONS[flagType].map((one) => ({ ...one, name: one.key }));
  // Sometimes adds a value that is not an object; flagd refuses such a flag.
  const variations =
    flagType === 'json' && dice.chance(0.1) ? [...values, { key: 'z', name: 'z', value: [1] }] : values;
  const keys = variations.map((one) => one.key);
  const rules = Array.from({ length: 1 + dice.below(4) }, (_, index) => {
    const conditions = Array.from({ length: dice.chance(0.1) ? 0 : 1 + dice.below(2) }, () =>
      dice.chance(0.2) ? segmentCondition(dice) : randomCondition(dice, options),
    );
    const served =
      options.rollouts && dice.chance(0.3)
        ? {
            percentage_rollout: randomRollout(dice, keys),
            ...(dice.chance(0.5) && { bucketing: 2 as const }),
          }
        : { variation: dice.one(keys) };
    return {
      id: `rule_${index}`,
      name: '',
      priority: dice.below(3),
      conditions: conditions as never,
      ...served,
    };
  }).sort((left, right) => left.priority - right.priority);
  const target = dice.chance(0.08) && others.length > 0 ? dice.one(others) : undefined;
  const prerequisites: Prerequisite[] =
    target === undefined ? [] : [{ flag_key: target.key, variation: dice.one(target.variations).key }];
  return {
    ...{ key, flagType, variations, rules, prerequisites },
    status: dice.chance(0.04) ? 'archived' : 'active',
    enabled: !dice.chance(0.05),
    defaultVariation: dice.one(keys),
  };
}

function randomSegments(dice: Dice, options: Options): SegmentRow[] {
  return SEGMENTS.map((key) => {
    const conditions =
      key === 'everyone' || key === 'listed' || key === 'nobody'
        ? []
        : Array.from({ length: 1 + dice.below(2) }, () =>
            key === 'patterned' && options.patterns
              ? { attribute: 'email', operator: 'matches_regex', value: 'evil|example' }
              : randomCondition(dice, { patterns: false }),
          );
    const users = ATTRIBUTES['user_key']!.filter((user) => user !== '');
    const included =
      key === 'listed'
        ? dice.some(users, 2)
        : key === 'nobody'
          ? []
          : dice.chance(0.3)
            ? dice.some(users, 2)
            : null;
    return {
      ...{ id: `seg_${key}`, key, conditions_json: JSON.stringify(conditions) },
      included_json: JSON.stringify(included),
      excluded_json: JSON.stringify(dice.chance(0.3) ? dice.some(users, 2) : []),
    };
  });
}

export function randomProject(dice: Dice, count: number, options: Options): RandomProject {
  const flags: ScopedFlag[] = [];
  for (let index = 0; index < count; index++) flags.push(randomFlag(dice, `flag-${index}`, flags, options));
  return { flags, segments: randomSegments(dice, options) };
}

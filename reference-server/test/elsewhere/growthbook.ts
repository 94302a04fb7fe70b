import { GrowthBook } from '@growthbook/growthbook';
import type { Dice } from '../flagd/random-project.ts';
import { ATTRIBUTES, type Product, randomAttributes } from './product.ts';

interface Feature {
  readonly defaultValue: unknown;
}

interface Data {
  readonly features: Readonly<Record<string, object>>;
  readonly savedGroups?: Readonly<Record<string, readonly unknown[]>>;
}

/** GrowthBook's SDK with a payload of the test. */
export function createGrowthBook({ features, savedGroups = {} }: Data): GrowthBook {
  return new GrowthBook({ enableDevMode: false }).initSync({ payload: { features, savedGroups } as never });
}

/** The value of a feature; null, which an off feature has, is false for a boolean. */
export function evaluateGrowthBook(client: GrowthBook, name: string, attributes: object): unknown {
  client.setAttributes(attributes as never);
  return client.evalFeature(name).value;
}

const COMPARED = [
  '$eq',
  '$ne',
  '$in',
  '$nin',
  '$in',
  '$nin',
  '$ini',
  '$nini',
  '$regex',
  '$regexi',
  '$exists',
  '$not',
];
const PATTERNS = ['^a', 'evil\\.com$', '^(de|fr)$', '[0-9]+', '(?=x)', 'l$'];

function randomOperators(dice: Dice, name: string): unknown {
  const values = name === 'id' ? ['u-1', 'u-2'] : ATTRIBUTES[name]!;
  if (name === 'age' && dice.chance(0.7)) {
    const operator = dice.one(['$gt', '$gte', '$lt', '$lte']);
    return { [operator]: dice.one([5, 18, 0, -3, 17.5]) };
  }
  if (name === 'version' && dice.chance(0.8)) {
    const operator = dice.one(['$veq', '$vne', '$vgt', '$vgte', '$vlt', '$vlte']);
    return { [operator]: dice.one(['1.2.3', '2.0.0', '2.0.0-rc.1', '1.2']) };
  }
  if (name === 'roles') {
    return dice.one([
      { $in: ['admin'] },
      { $nin: ['admin', 'user'] },
      { $elemMatch: { $eq: 'admin' } },
      { $all: ['admin', 'user'] },
      { $size: 2 },
    ]);
  }
  if (dice.chance(0.3)) return dice.one(values);
  const operator = dice.one(COMPARED);
  switch (operator) {
    case '$exists':
      return { $exists: dice.chance(0.5) };
    case '$not':
      return { $not: { $in: dice.some(values, 2) } };
    case '$regex':
    case '$regexi':
      return { [operator]: dice.one(PATTERNS) };
    case '$eq':
    case '$ne':
      return { [operator]: dice.one(values) };
    default:
      return { [operator]: dice.some([...values, null], 3) };
  }
}

function randomCondition(dice: Dice, depth: number): object {
  const entries = Array.from({ length: 1 + dice.below(2) }, (): readonly [string, unknown] => {
    const roll = dice.below(20);
    const inner = () => Array.from({ length: dice.below(3) }, () => randomCondition(dice, depth - 1));
    if (depth > 0 && roll === 0) return ['$or', inner()];
    if (depth > 0 && roll === 1) return ['$nor', inner()];
    if (depth > 0 && roll === 2) return ['$and', inner()];
    if (depth > 0 && roll === 3) return ['$not', randomCondition(dice, depth - 1)];
    if (roll === 4)
      return ['country', { [dice.one(['$inGroup', '$notInGroup'])]: dice.one(['grp_1', 'missing']) }];
    const name = dice.one(['country', 'email', 'plan', 'age', 'beta', 'version', 'roles', 'id']);
    return [name, randomOperators(dice, name)];
  });
  return Object.fromEntries(entries);
}

function randomRule(dice: Dice, value: () => unknown, parents: readonly string[]): object {
  const condition = dice.chance(0.85) ? { condition: randomCondition(dice, 1) } : {};
  const parent =
    parents.length > 0 && dice.chance(0.1)
      ? { parentConditions: [{ id: dice.one(parents), condition: { value: true }, gate: dice.chance(0.5) }] }
      : {};
  const hashed = { hashAttribute: dice.one(['id', 'country']) };
  if (dice.chance(0.2)) {
    return {
      ...condition,
      ...parent,
      ...hashed,
      variations: [value(), value()],
      weights: dice.one([
        [1, 0],
        [0, 1],
      ]),
      coverage: 1,
      key: 'e',
    };
  }
  return {
    ...condition,
    ...parent,
    force: value(),
    ...(dice.chance(0.2) && { ...hashed, coverage: dice.one([0, 1]) }),
  };
}

export const GROWTHBOOK: Product = {
  format: 'growthbook',
  randomDocument(dice) {
    const features = Array.from({ length: 8 }, (_, index) => {
      const values =
        index < 3
          ? [true, false]
          : dice.one<readonly unknown[]>([
              [true, false],
              ['a', 'b', 'c'],
              [1, 2, 3],
              [{ x: 1 }, { x: 2 }],
            ]);
      const value = () => dice.one(values);
      const parents = index > 2 ? ['feature.0', 'feature.1', 'missing'] : [];
      const gates =
        parents.length > 0 && dice.chance(0.15)
          ? [{ parentConditions: [{ id: dice.one(parents), condition: { value: true }, gate: true }] }]
          : [];
      const rules = Array.from({ length: dice.below(4) }, () => randomRule(dice, value, parents));
      return [`feature.${index}`, { defaultValue: value(), rules: [...gates, ...rules] }] as const;
    });
    return { features: Object.fromEntries(features), savedGroups: { grp_1: ['de', 'us'] } };
  },
  flagsOf: (document) =>
    Object.keys((document as Data).features).map((name) => ({ name, path: `features.${name}` })),
  randomContext(dice) {
    const { userKey, attributes } = randomAttributes(dice);
    const user = dice.chance(0.85) ? userKey : undefined;
    return {
      theirs: { ...attributes, ...(user !== undefined && { id: user }) },
      ours: { ...(user !== undefined && { user_key: user }), attributes },
    };
  },
  load: async (document) => {
    const client = createGrowthBook(document as Data);
    const { features } = document as Data;
    return async (name, context) => {
      const value = evaluateGrowthBook(client, name, context);
      // A boolean whose prerequisite fails is null, which code reads as false.
      return value ?? (typeof (features[name] as Feature).defaultValue === 'boolean' ? false : null);
    };
  },
  isOtherType(value, { attribute }) {
    const expected = attribute === 'age' ? 'number' : attribute === 'beta' ? 'boolean' : 'string';
    if (attribute === 'roles') return !Array.isArray(value) || value.some((one) => typeof one !== 'string');
    return value !== null && typeof value !== expected;
  },
};

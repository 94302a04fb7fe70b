import { createRequire } from 'node:module';
import type { Dice } from '../flagd/random-project.ts';
import { ATTRIBUTES, type Product, randomAttributes } from './product.ts';

/** The evaluator without the parts that fetch and report; a door of its own it does not have. */
const require = createRequire(import.meta.url);
const { default: UnleashClient } =
  require('unleash-client/lib/client.js') as typeof import('unleash-client/lib/client.js');
const { defaultStrategies } =
  require('unleash-client/lib/strategy/index.js') as typeof import('unleash-client/lib/strategy/index.js');

interface Feature {
  readonly name: string;
  readonly variants?: readonly object[] | undefined;
  readonly strategies?: readonly object[];
}

interface Data {
  readonly features: readonly Feature[];
  readonly segments?: readonly { readonly id: number; readonly constraints: readonly object[] }[];
}

/** Unleash's own evaluator, over a repository that is the document. */
export function createUnleash(document: object) {
  const { features, segments = [] } = document as Data;
  const repository = {
    getToggle: (name: string) => features.find((one) => one.name === name),
    getSegment: (id: number) => segments.find((one) => one.id === id),
    on: () => {},
  };
  return new UnleashClient(repository as never, defaultStrategies);
}

/** What an imported flag serves: a boolean, or what `getVariant` returns where the flag has variants. */
export function evaluateUnleash(
  client: ReturnType<typeof createUnleash>,
  feature: Feature,
  context: object,
): unknown {
  const lists = [
    feature.variants,
    ...(feature.strategies ?? []).map((one: { readonly variants?: readonly object[] }) => one.variants),
  ];
  if (!lists.some((one) => (one?.length ?? 0) > 0)) {
    return client.isEnabled(feature.name, { ...context, featureToggle: feature.name } as never, () => false);
  }
  const found = client.getVariant(feature.name, { ...context, featureToggle: feature.name } as never);
  const { name, enabled, payload, feature_enabled } = found;
  return { name, enabled, feature_enabled, ...(payload !== undefined && { payload }) };
}

const OPERATORS = [
  ...['IN', 'IN', 'NOT_IN', 'NOT_IN', 'STR_CONTAINS', 'STR_STARTS_WITH', 'STR_ENDS_WITH', 'NUM_EQ', 'NUM_GT'],
  ...[
    'NUM_GTE',
    'NUM_LT',
    'NUM_LTE',
    'SEMVER_EQ',
    'SEMVER_GT',
    'SEMVER_GTE',
    'SEMVER_LT',
    'SEMVER_LTE',
    'REGEX',
  ],
  ...['IN_CIDR', 'DATE_AFTER', 'MADE_UP'],
];
const USUAL = OPERATORS.filter((one) => !['DATE_AFTER', 'MADE_UP', 'REGEX'].includes(one));
const PATTERNS = ['^a', 'evil\\.com$', '^(de|fr)$', '[0-9]+', '(?<x>p)', '\\bpro\\b'];

function randomConstraint(dice: Dice): object {
  const operator = dice.one(dice.chance(0.1) ? OPERATORS : USUAL);
  const shared = { operator, inverted: dice.chance(0.25) };
  if (operator.startsWith('NUM')) {
    return {
      ...shared,
      contextName: 'age',
      values: [],
      value: dice.one(['5', '18', '17.5', '0', '-3', 'x', '']),
    };
  }
  if (operator.startsWith('SEMVER')) {
    return {
      ...shared,
      contextName: 'version',
      values: [],
      value: dice.one(['1.2.3', '2.0.0', '2.0.0-rc.1']),
    };
  }
  if (operator.startsWith('DATE')) {
    return { ...shared, contextName: 'currentTime', values: [], value: '2022-01-29T13:00:00.000Z' };
  }
  if (operator === 'IN_CIDR') {
    return {
      ...shared,
      contextName: 'remoteAddress',
      values: dice.some(['10.0.0.0/8', '192.168.1.0/28', '10.1.2.3', '2001:db8::/32'], 2),
    };
  }
  const contextName = dice.one(['country', 'email', 'plan', 'beta', 'userId', 'remoteAddress']);
  const texts =
    contextName === 'userId' ? ['u-1', 'u-2'] : (ATTRIBUTES[contextName] ?? ['10.1.2.3']).map(String);
  const parts = operator.startsWith('STR')
    ? [...texts, ...texts.map((one) => one.slice(0, 2).toUpperCase())]
    : texts;
  const caseInsensitive = operator.startsWith('STR') && dice.chance(0.4);
  return { ...shared, contextName, caseInsensitive, values: dice.some(parts, 3), value: dice.one(PATTERNS) };
}

const constraints = (dice: Dice): object[] =>
  Array.from({ length: dice.below(3) }, () => randomConstraint(dice));

function randomStrategy(dice: Dice, variants: object[]): object {
  const name = dice.one(['default', 'default', 'flexibleRollout', 'userWithId', 'remoteAddress', 'custom']);
  const parameters = {
    ...(name === 'flexibleRollout' && {
      rollout: dice.one(['100', '100', '0']),
      stickiness: dice.one(['default', 'userId', 'country']),
      groupId: 'g',
    }),
    ...(name === 'userWithId' && { userIds: dice.one(['u-1, u-2', 'u-3', '']) }),
    ...(name === 'remoteAddress' && {
      IPs: dice.one(['10.0.0.0/8', '10.1.2.3,192.168.1.0/24', '172.16.0.0/12', 'localhost']),
    }),
  };
  return {
    ...{
      name: name === 'custom' && dice.chance(0.5) ? 'default' : name,
      parameters,
      constraints: constraints(dice),
    },
    ...(dice.chance(0.3) && { segments: [dice.one([1, 2, 99])] }),
    ...(variants.length > 0 && dice.chance(0.5) && { variants: [dice.one(variants)] }),
  };
}

const VARIANTS = [
  { name: 'red', weight: 1000, payload: { type: 'string', value: '#f00' } },
  { name: 'blue', weight: 1000, payload: { type: 'json', value: '{}' } },
  { name: 'plain', weight: 1000 },
];

export const UNLEASH: Product = {
  format: 'unleash',
  randomDocument(dice) {
    const features = Array.from({ length: 8 }, (_, index) => {
      const variants = dice.chance(0.3) ? VARIANTS : [];
      const own =
        variants.length > 0 && dice.chance(0.6)
          ? [{ ...dice.one(VARIANTS), overrides: [{ contextName: 'country', values: ['de'] }] }]
          : [];
      return {
        ...{ name: `feature.${index}`, enabled: dice.chance(0.95), variants: own },
        strategies: Array.from({ length: dice.below(4) }, () => randomStrategy(dice, variants)),
        ...(index > 2 &&
          dice.chance(0.2) && {
            dependencies: [
              { feature: `feature.${dice.below(2)}`, ...(dice.chance(0.3) && { enabled: false }) },
            ],
          }),
      };
    });
    return {
      version: 2,
      features,
      segments: [
        { id: 1, constraints: constraints(dice) },
        { id: 2, name: 'two', constraints: [randomConstraint(dice)] },
      ],
    };
  },
  flagsOf: (document) => (document as Data).features.map(({ name }) => ({ name, path: `features.${name}` })),
  randomContext(dice) {
    const { userKey, attributes } = randomAttributes(dice);
    const remoteAddress = dice.chance(0.7)
      ? dice.one([
          '10.1.2.3',
          '192.168.1.7',
          '192.168.1.77',
          '172.16.5.1',
          'localhost',
          '2001:db8::1',
          '10.1.2.300',
        ])
      : undefined;
    const user = dice.chance(0.8) ? userKey : undefined;
    const shared = { ...(remoteAddress !== undefined && { remoteAddress }) };
    return {
      theirs: { ...shared, ...(user !== undefined && { userId: user }), properties: attributes },
      ours: { ...(user !== undefined && { user_key: user }), attributes: { ...attributes, ...shared } },
    };
  },
  load: async (document) => {
    const client = createUnleash(document);
    return async (name, context) =>
      evaluateUnleash(client, (document as Data).features.find((one) => one.name === name)!, context);
  },
  // Unleash turns every value into a text, as our text operators do, but lists and objects too.
  isOtherType: (value, { attribute, operator }) =>
    typeof value === 'object' ||
    (attribute === 'age' && !/^[+-]?\d+(\.\d+)?$/.test(String(value))) ||
    (operator.startsWith('version_') && typeof value !== 'string'),
};

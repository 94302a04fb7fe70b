import type { Dice } from '../flagd/random-project.ts';
import { init, integrations } from './launchdarkly-sdk.ts';
import { ATTRIBUTES, type Product, randomAttributes } from './product.ts';

const noop = (): void => {};
const logger = { error: noop, warn: noop, info: noop, debug: noop };

/** LaunchDarkly's SDK for Node.js with data of the test. Nothing leaves the process. */
async function createClient() {
  const data = new integrations.TestData();
  const client = init('sdk-key', {
    ...{ updateProcessor: data.getFactory(), sendEvents: false, diagnosticOptOut: true, logger },
  });
  await client.waitForInitialization({ timeout: 10 });
  return { data, client };
}

let shared: ReturnType<typeof createClient> | undefined;

export async function closeLaunchDarkly(): Promise<void> {
  (await shared)?.client.close();
  shared = undefined;
}

interface Data {
  readonly flags: Readonly<Record<string, object>>;
  readonly segments?: Readonly<Record<string, object>>;
}

export async function loadLaunchDarkly(
  document: object,
): Promise<(flag: string, context: object) => Promise<unknown>> {
  shared ??= createClient();
  const { data, client } = await shared;
  const { flags, segments = {} } = document as Data;
  for (const [key, segment] of Object.entries(segments)) {
    await data.usePreconfiguredSegment({ version: 1, salt: 's', ...segment, key });
  }
  for (const [key, flag] of Object.entries(flags)) {
    await data.usePreconfiguredFlag({ version: 1, salt: 's', ...flag, key });
  }
  return (flag, context) => client.variation(flag, context as never, '(caller)');
}

const OPERATORS = [
  ...['in', 'in', 'in', 'startsWith', 'endsWith', 'contains', 'matches', 'lessThan', 'lessThanOrEqual'],
  ...[
    'greaterThan',
    'greaterThanOrEqual',
    'semVerEqual',
    'semVerLessThan',
    'semVerGreaterThan',
    'before',
    'after',
  ],
];
const NUMERIC = /Than/;
const PATTERNS = ['^a', 'evil\\.com$', 'example', '^(de|fr)$', '[0-9]+', '(?=x)', '\\bpro\\b'];

function randomClause(dice: Dice, segments: readonly string[]): object {
  if (dice.chance(0.15)) {
    return {
      attribute: '',
      op: 'segmentMatch',
      values: [dice.one([...segments, 'missing'])],
      negate: dice.chance(0.3),
    };
  }
  const op = dice.one(OPERATORS);
  const negate = dice.chance(0.25);
  if (op === 'before' || op === 'after') {
    return { attribute: 'age', op, values: [dice.one([18, '1970-01-01T00:00:00Z'])], negate };
  }
  if (op.startsWith('semVer')) {
    return { attribute: 'version', op, values: [dice.one(['1.2.3', '2', '2.0', '2.0.0-rc.1', 'x'])], negate };
  }
  if (NUMERIC.test(op)) return { attribute: 'age', op, values: [dice.one([5, 18, 17.5, 'x'])], negate };
  const name = dice.one(['country', 'email', 'plan', 'roles', 'beta', 'age', 'key', 'city', 'org']);
  const about =
    name === 'city'
      ? { attribute: '/address/city', contextKind: 'user' }
      : name === 'org'
        ? { attribute: 'key', contextKind: 'organization' }
        : { attribute: name };
  const values =
    name === 'key' ? ['u-1', 'u-2'] : name === 'org' ? ['acme'] : (ATTRIBUTES[name] ?? ['Bern', 'Oslo']);
  if (op === 'in') return { ...about, op, values: dice.some(values, 3), negate };
  const texts = values.map(String);
  const parts = [...texts, ...texts.map((one) => one.slice(0, 2)), ''];
  return { ...about, op, values: op === 'matches' ? [dice.one(PATTERNS)] : dice.some(parts, 2), negate };
}

const clauses = (dice: Dice, segments: readonly string[]): object[] =>
  Array.from({ length: dice.below(3) }, () => randomClause(dice, segments));

function randomSegment(dice: Dice): object {
  return {
    included: dice.some(['u-1', 'u-2'], 2),
    excluded: dice.some(['u-2', 'u-3'], 2),
    ...(dice.chance(0.2) && { includedContexts: [{ contextKind: 'organization', values: ['acme'] }] }),
    ...(dice.chance(0.1) && { excludedContexts: [{ contextKind: 'organization', values: ['acme'] }] }),
    rules: Array.from({ length: dice.below(3) }, () => ({
      id: 'r',
      clauses: [randomClause(dice, ['one'])],
      ...(dice.chance(0.1) && { weight: 50_000 }),
    })),
    ...(dice.chance(0.05) && { unbounded: true }),
  };
}

export const LAUNCHDARKLY: Product = {
  format: 'launchdarkly',
  randomDocument(dice) {
    const segments = {
      one: { included: ['u-1'], excluded: [], rules: [] },
      two: randomSegment(dice),
      three: randomSegment(dice),
    };
    const names = Object.keys(segments);
    const flags = Array.from({ length: 8 }, (_, index) => {
      const variations = dice.one([
        [true, false],
        ['a', 'b', 'c'],
        [1, 2, 3],
        [{ x: 1 }, { x: 2 }, []],
      ]);
      const variation = () => dice.below(variations.length);
      const targets = Array.from({ length: dice.below(3) }, () => ({
        values: dice.some(['u-1', 'u-2'], 2),
        variation: variation(),
      }));
      const rules = Array.from({ length: dice.below(4) }, (_, at) => ({
        id: `rule-${at}`,
        clauses: clauses(dice, names),
        variation: variation(),
      }));
      const flag = {
        ...{
          on: dice.chance(0.95),
          variations,
          offVariation: variation(),
          fallthrough: { variation: variation() },
          targets,
          rules,
        },
        contextTargets: dice.chance(0.2)
          ? [
              { contextKind: 'organization', values: ['acme'], variation: variation() },
              { contextKind: 'user', values: [], variation: 0 },
            ]
          : [],
        prerequisites:
          index > 0 && dice.chance(0.2)
            ? [{ key: `flag-${dice.below(index)}`, variation: dice.below(2) }]
            : [],
      };
      return [`flag-${index}`, flag] as const;
    });
    return { flags: Object.fromEntries(flags), segments };
  },
  flagsOf: (document) =>
    Object.keys((document as Data).flags).map((name) => ({ name, path: `flags.${name}` })),
  randomContext(dice) {
    const { userKey, attributes } = randomAttributes(dice);
    const city = dice.chance(0.5) ? dice.one(['Bern', 'Oslo', '']) : undefined;
    const org = dice.chance(0.5) ? dice.one(['acme', 'other']) : undefined;
    const user = { ...attributes, ...(city !== undefined && { address: { city } }), key: userKey };
    return {
      theirs:
        org === undefined ? { kind: 'user', ...user } : { kind: 'multi', user, organization: { key: org } },
      ours: {
        user_key: userKey,
        attributes: {
          ...attributes,
          ...(city !== undefined && { 'address.city': city }),
          ...(org !== undefined && { 'organization.key': org }),
        },
      },
    };
  },
  load: loadLaunchDarkly,
  isOtherType(value, { operator, value: operand }) {
    const one = (each: unknown): boolean => {
      if (typeof each === 'object') return each !== null;
      if (operator === 'gt' || operator === 'lt') return typeof each !== 'number';
      const operands = [operand].flat();
      return operands.length === 0 ? false : operands.every((wanted) => typeof wanted !== typeof each);
    };
    return Array.isArray(value) ? value.some(one) : one(value);
  },
};

/** Checks the vectors as a whole: their number, calls that match and that do not, reasons, and the mutants they kill. */
import { readdirSync, readFileSync } from 'node:fs';
import { bucket } from '@flagsvc/sdk-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { mutants } from '../mutants/registry.ts';
import { decodeTagged } from '../src/suite/json-value.ts';
import { loadSuite, type Vector } from '../src/suite/suite.ts';
import { pathOf } from './helpers.ts';

interface Rule {
  readonly conditions: readonly { readonly operator: string; readonly value: unknown }[];
  readonly percentage_rollout?: readonly { readonly percentage: number }[];
  readonly bucketing?: 1 | 2;
}
interface Flag {
  readonly key: string;
  readonly targeting_rules: readonly Rule[];
}

const { vectors, buckets } = loadSuite();
const flagsOf = ({ ruleset }: Vector) => (ruleset as { readonly flags: readonly Flag[] }).flags;
const inFiles = (...names: readonly string[]) => vectors.filter(({ category }) => names.includes(category));

const isRecipe = (ruleset: unknown): boolean => JSON.stringify(ruleset).includes('"$repeat"');

/** The different variations that the calls of one flag expect. */
const outcomesOf = ({ calls }: Vector, key: string) =>
  new Set(calls.filter(({ flag }) => flag === key).map(({ expect }) => expect['variation_key']));

test('every file of vectors matches its schema', () => {
  const ajv = new Ajv2020({ strict: false });
  for (const name of readdirSync(pathOf('schema')).filter((file) =>
    /^(ruleset|tags|vectors?)\./.test(file),
  )) {
    ajv.addSchema(JSON.parse(readFileSync(pathOf(`schema/${name}`), 'utf8')));
  }
  for (const name of readdirSync(pathOf('vectors')).filter((file) => file.endsWith('.json'))) {
    const isValid = ajv.validate(
      'vectors.schema.json',
      JSON.parse(readFileSync(pathOf(`vectors/${name}`), 'utf8')),
    );
    expect(isValid, `${name}: ${ajv.errorsText(ajv.errors?.slice(0, 3))}`).toBe(true);
  }
});

// A topic, the minimum number of its cases, and the cases.
test.each([
  ['rules', 200, inFiles('rules', 'order')],
  ['state', 80, inFiles('state')],
  ['values', 80, inFiles('values')],
  ['rollout', 400, inFiles('rollout', 'bucketing')],
  ['bucket.csv', 10_000, buckets],
  ['versions', 200, inFiles('versions')],
  ['regex', 200, inFiles('regex')],
  ['decided', 300, vectors.filter(({ level }) => level === 'decided')],
  ['malformed', 150, inFiles('malformed', 'malformed-mutants')],
  ['purity', 30, inFiles('purity')],
  ['time', 30, vectors.filter(({ calls }) => calls.some(({ within_ms }) => within_ms !== undefined))],
] as const)('has enough cases about %s: at least %i', (_, size, found) => {
  expect(found.length).toBeGreaterThanOrEqual(size);
});

const operators = [
  ...['is', 'is_not', 'contains', 'not_contains', 'one_of', 'not_one_of'],
  ...['gt', 'lt', 'matches_regex', 'version_gt', 'version_lt'],
];
test.each(operators)(
  'has thirty vectors about %s in which the same flag matches one call and not another',
  (operator) => {
    const witnesses = vectors.filter(
      (vector) =>
        vector.requirements.includes(`operator-${operator.replaceAll('_', '-')}`) &&
        !isRecipe(vector.ruleset) &&
        flagsOf(vector).some(
          ({ key, targeting_rules: rules }) =>
            rules?.some(({ conditions }) => conditions.some((one) => one.operator === operator)) &&
            outcomesOf(vector, key).size > 1,
        ),
    );
    expect(witnesses.length).toBeGreaterThanOrEqual(30);
  },
);

test('every vector about a condition has a call that matches and one that does not', () => {
  const blind = inFiles('operators').filter((vector) =>
    flagsOf(vector).some(({ key }) => outcomesOf(vector, key).size < 2),
  );
  expect(blind.map(({ id }) => id)).toEqual([]);
});

test('every vector about gt and lt tests below, at and above its bound', () => {
  const ordered = inFiles('operators').filter(({ requirements }) =>
    requirements.some((name) => /-(gt|lt)$/.test(name)),
  );
  expect(ordered.length).toBeGreaterThan(30);
  const open = ordered.filter((vector) =>
    flagsOf(vector).some(({ key }) => outcomesOf(vector, key).size < 3),
  );
  expect(open.map(({ id }) => id)).toEqual([]);
});

test('vectors that claim to test both sides of each boundary do so', () => {
  const claiming = vectors.filter(({ why = '' }) => why.includes('both sides of each boundary'));
  expect(claiming.length).toBeGreaterThan(100);
  const missing = claiming.flatMap((vector) => {
    const [{ key, targeting_rules: rules }] = flagsOf(vector) as readonly [Flag];
    const { percentage_rollout: entries = [], bucketing = 1 } = rules[0]!;
    const tested = new Set(
      vector.calls.map(({ context }) => bucket(key, context['user_key'] as string, bucketing)),
    );
    let sum = 0;
    const sides = entries.flatMap(({ percentage }) => {
      sum += percentage;
      return [sum - 1, sum];
    });
    return [0, 99, ...sides]
      .filter((side) => side >= 0 && side < 100 && !tested.has(side))
      .map((side) => `${vector.id}: no user in bucket ${side}`);
  });
  expect(missing).toEqual([]);
});

test('every vector gives its reason, and names only existing mutants', () => {
  const mortal = new Set(mutants.filter(({ equivalent }) => !equivalent).map(({ id }) => id));
  const wrong = vectors.filter(
    ({ why, kills = [] }) => !why || kills.length > 3 || !kills.every((name) => mortal.has(name)),
  );
  expect(
    wrong.map(({ id, kills }) => `${id}: ${kills?.join(' ')}`),
    'run `npm run conformance:mutants -- --record`, or delete removed mutants from mutants/kills.txt; then rebuild the vectors',
  ).toEqual([]);
  // Recipes test time and are not run against mutants.
  const idle = vectors.filter(({ kills, ruleset }) => !kills?.length && !isRecipe(ruleset));
  expect(idle.map(({ id }) => id)).toEqual([]);
});

test('a recipe expands to the given number of items, with their index in texts', () => {
  const recipe = [
    { $repeat: { n: 3 }, item: { key: 'f{n}', list: [{ $repeat: { m: 2 }, item: '{n}-{m+1}' }] } },
    1,
  ];
  expect(decodeTagged(recipe)).toEqual([
    { key: 'f0', list: ['0-1', '0-2'] },
    { key: 'f1', list: ['1-1', '1-2'] },
    { key: 'f2', list: ['2-1', '2-2'] },
    1,
  ]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeCommand, pathOf } from '../../test/helpers.ts';
import { loadScenarios } from '../scenarios/load.ts';
import { suiteDirectory } from '../suite/suite.ts';
import { readClientMutants, runClientMutant } from './run-mutants.ts';

const mutants = readClientMutants();
const { scenarios } = loadScenarios(suiteDirectory());

test('has at least 25 mutants, each of which lists a scenario that exists', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(25);
  const ids = new Set(scenarios.map(({ id }) => id));
  expect(
    mutants.filter(({ noticed_by }) => !noticed_by.some((id) => ids.has(id))).map(({ id }) => id),
  ).toEqual([]);
});

test('every patch matches exactly one place in its source file', () => {
  const misfits = mutants.flatMap(({ id, patches }) =>
    patches
      .filter(({ file, find }) => readFileSync(join(pathOf('..'), file), 'utf8').split(find).length !== 2)
      .map(({ file }) => `${id}: ${file}`),
  );
  expect(misfits).toEqual([]);
});

// `npm run conformance:client-mutants` runs all of them.
const sample = ['no-if-none-match', '304-clears', 'retry-after-as-milliseconds', 'new-id-for-a-retry'];
test.each(sample)('fails the mutant %s', { timeout: 60_000 }, async (name) => {
  const mutant = mutants.find(({ id }) => id === name)!;
  const known = scenarios.filter(({ id }) => mutant.noticed_by.includes(id));
  const command = nodeCommand('adapters/sdk-node.mjs').replace(
    '"--expose-gc"',
    `"--expose-gc" "--import" ${JSON.stringify(pathOf('adapters/lib/mutate.mjs'))}`,
  );
  expect(await runClientMutant(mutant, known, command)).toMatchObject({
    loaded: true,
    killer: known[0]?.id,
  });
});

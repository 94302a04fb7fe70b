/** Runs a sample of the mutants, and checks that all apply; `npm run conformance:mutants` runs all. */
import { expect, test } from 'vitest';
import { plant } from '../mutants/compile.ts';
import { judgeAll } from '../mutants/pool.ts';
import { mutants } from '../mutants/registry.ts';
import { passes, vectorsForMutants } from '../mutants/trial.ts';
import { trivial } from '../mutants/trivial.ts';
import { loadSuite } from '../src/suite/suite.ts';

const suite = loadSuite();
const vectors = vectorsForMutants(suite);
const mortal = mutants.filter(({ equivalent }) => !equivalent);

test('every mutant applies to the evaluator’s source and names a requirement', () => {
  for (const mutant of mutants) {
    expect(plant(mutant)).not.toBe('');
    expect(suite.requirements.has(mutant.requirement), mutant.id).toBe(true);
  }
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  expect(mortal.length).toBeGreaterThan(180);
});

test('each mutant of the sample is killed by two vectors', async () => {
  const sample = mortal.filter((_, at) => at % Math.ceil(mortal.length / 20) === 0);
  const survivors: string[] = [];
  const failed = await judgeAll(sample, 2, ({ id }, outcome) => {
    if (outcome instanceof Error || outcome.length < 2) survivors.push(id);
  });
  expect(failed.map((at) => vectors[at]!.id)).toEqual([]);
  expect(survivors).toEqual([]);
}, 120_000);

test.each(Object.entries(trivial))('the evaluator "%s" fails in every category', (_, subject) => {
  const passed = [...new Set(vectors.map(({ category }) => category))].filter((category) =>
    vectors.every((vector) => vector.category !== category || passes(subject, vector, 'evaluate')),
  );
  expect(passed).toEqual([]);
});

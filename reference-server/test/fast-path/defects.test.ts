import { expect, test } from 'vitest';
import { DEFECTS } from './defects.ts';
import { createPlanted, sources } from './plant.ts';
import { comparePaths } from './two-paths.ts';

test('every file of the fast path has a planted defect', () => {
  expect([...new Set(DEFECTS.map(({ file }) => file))].sort()).toEqual([...sources.keys()].sort());
});

test('finds no difference in a copy without a defect', async () => {
  const { difference } = await comparePaths(await createPlanted(), 4_000);
  expect(difference).toBeUndefined();
});

test.each(DEFECTS)('finds the defect in $file: $find', async (defect) => {
  const { difference } = await comparePaths(await createPlanted(defect), 20_000);
  expect(difference).toBeDefined();
});

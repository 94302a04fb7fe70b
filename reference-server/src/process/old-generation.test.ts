import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The most megabytes of the old generation under a load whose objects outlive young collections and die later. */
const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
import { keepOldGenerationSmall } from './old-generation.ts';
import { keepYoungGenerationSmall } from './young-generation.ts';
keepYoungGenerationSmall();
const used = Array.from({ length: 20 }, () => Array.from({ length: 1e4 }, (_, i) => ({ i, list: [i] })));
if (process.argv[1] === 'small') keepOldGenerationSmall();
const sizes = [];
const passing = [];
for (let i = 0; i < 2e6; i++) {
  passing[i % 5e4] = { i, list: [i] };
  if (i % 1e5 === 0) sizes.push(getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_size);
}
if (used.length !== 20 || typeof gc !== 'undefined') throw new Error();
process.stdout.write(String(Math.max(...sizes) / 2 ** 20));
process.exit();
`;
const most = async (how: string): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT, how], {
    cwd: import.meta.dirname,
  });
  return Number(stdout);
};

test('keeps the old generation near to what is in use', async () => {
  const [small, usual] = await Promise.all([most('small'), most('usual')]);
  expect(small).toBeLessThan(0.75 * usual);
});

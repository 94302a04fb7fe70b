import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Bytes of the young generation at the start, when it is kept, after a rest, and under load again. */
const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
import { setTimeout as wait } from 'node:timers/promises';
import { keepYoungGenerationSmall } from './young-generation.ts';
const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
const kept = [];
const load = async () => {
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 1e6; i++) kept[i % 5_000] = { i, list: [i] };
    await wait(1);
  }
};
const sizes = [young()];
keepYoungGenerationSmall();
sizes.push(young());
await load();
sizes.push(young());
await gc({ type: 'major', flavor: 'last-resort', execution: 'async' });
sizes.push(young());
await load();
sizes.push(young());
process.stdout.write(JSON.stringify(sizes));
`;

test('keeps the young generation at one size under load, and again after a rest', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', SCRIPT],
    { cwd: import.meta.dirname },
  );
  const [first, kept, loaded, rested, again] = JSON.parse(stdout);
  expect(kept).toBeGreaterThan(first);
  expect(loaded).toBe(kept);
  expect(rested).toBeLessThan(kept);
  expect(again).toBe(kept);
});

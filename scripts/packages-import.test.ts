// Measures how long a new process takes to import each package, in CPU time, which depends little on other processes.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './sources.ts';

const ROUNDS = 9;
/**
 * CPU time that Node needed to start on the machine where the limits were set. On slower machines, the limits grow in
 * proportion.
 */
const USUAL_START_MS = 22;

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;

/** CPU milliseconds of one new process: to start, and then to load the package. */
function measure(load: string): readonly [start: number, load: number] {
  const code = `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    const spent = (since) => Object.values(process.cpuUsage(since)).reduce((a, b) => a + b) / 1000;
    const start = spent();
    // The first import also loads Node's module loader, which must not count.
    await import('data:text/javascript,');
    const before = process.cpuUsage();
    ${load};
    console.log(start, spent(before));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: join(root, 'scripts'),
    encoding: 'utf8',
  });
  const [start, loaded] = stdout.split(' ').map(Number);
  if (!start || !loaded) throw new Error(stderr);
  return [start, loaded];
}

test.each([
  ['sdk-core', 'import', 5],
  ['sdk-core', 'require', 5],
  ['sdk-node', 'import', 25],
  ['sdk-node', 'require', 25],
])('%s loads by %s within %d ms', (name, how, goalMs) => {
  if (!existsSync(join(root, name, 'dist'))) throw new Error(`${name} is not built: run \`npm run build\``);
  const load = how === 'import' ? `await import('@flagsvc/${name}')` : `require('@flagsvc/${name}')`;
  const rounds = Array.from({ length: ROUNDS }, () => measure(load));
  const start = median(rounds.map(([ms]) => ms));
  const loaded = median(rounds.map(([, ms]) => ms));
  const limit = goalMs * Math.max(1, start / USUAL_START_MS);
  console.log(
    `${how} of ${name}: ${loaded.toFixed(1)} ms, goal ${goalMs}; Node's own start ${start.toFixed(1)} ms`,
  );
  expect(loaded).toBeLessThanOrEqual(limit);
});

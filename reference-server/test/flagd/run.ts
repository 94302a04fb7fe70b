/** `npm run fuzz:flagd -- --rounds 1000`: the long form of the comparisons with flagd that `npm test` samples. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const at = process.argv.indexOf('--rounds');
const rounds = at > 0 ? Number(process.argv[at + 1]) : 1_000;
if (!Number.isInteger(rounds) || rounds < 50) {
  console.error('--rounds takes a whole number from 50 on: fewer do not meet every kind of difference.');
  process.exit(2);
}
const seed = `${Date.now() % 1_000_000_000}`;
console.log(`${rounds} rounds from seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'tests',
    '--testTimeout',
    '0',
    'reference-server/test/flagd',
  ],
  {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    stdio: 'inherit',
    env: { ...process.env, FLAGSVC_SEED: seed, FLAGSVC_ROUNDS: String(rounds) },
  },
);
process.exitCode = status ?? 1;

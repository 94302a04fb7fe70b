/**
 * `npm run faults -- --rounds 10`: the long form of sdk-node's fault tests. Runs every fault in every phase the given
 * number of times, a fleet of 2,000 streams, and 100,000 batches of events with a new seed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const at = process.argv.indexOf('--rounds');
const rounds = at > 0 ? Number(process.argv[at + 1]) : 10;
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('--rounds takes a whole number of at least 1.');
  process.exit(2);
}
const seed = `${Date.now() % 1_000_000_000}`;
console.log(`${rounds} rounds, seed ${seed}`);
const tests = ['faults', 'fleet', 'exactly-once'].map((name) => `sdk-node/test/${name}.test.ts`);
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...tests], {
  cwd: join(import.meta.dirname, '..', '..'),
  stdio: 'inherit',
  env: {
    ...process.env,
    FLAGSVC_SEED: seed,
    FLAGSVC_FAULT_ROUNDS: `${rounds}`,
    FLAGSVC_FLEET: '2000',
    FLAGSVC_BATCHES: '100000',
  },
});
process.exit(status ?? 1);

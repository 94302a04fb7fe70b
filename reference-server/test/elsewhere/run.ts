/** `npm run fuzz:import -- --rounds 1000`: runs the full comparison with LaunchDarkly, Unleash and GrowthBook, of which `npm test` runs a sample. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const at = process.argv.indexOf('--rounds');
const rounds = at > 0 ? Number(process.argv[at + 1]) : 1_000;
if (!Number.isInteger(rounds) || rounds < 50) {
  console.error('--rounds must be an integer from 50, so that every kind of difference occurs.');
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
    'reference-server/test/elsewhere/compare.test.ts',
  ],
  {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    stdio: 'inherit',
    env: { ...process.env, FLAGSVC_SEED: seed, FLAGSVC_ROUNDS: String(rounds) },
  },
);
process.exitCode = status ?? 1;

/**
 * `npm run fuzz -- --rounds 10`: longer runs of two randomized tests of `npm test`. Each round uses a new seed,
 * evaluates two million hostile pairs of ruleset and context, and compares a million random pairs with the Python
 * evaluator.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const at = process.argv.indexOf('--rounds');
const rounds = at > 0 ? Number(process.argv[at + 1]) : 1;
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('--rounds must be an integer of 1 or more.');
  process.exit(2);
}

for (let round = 1; round <= rounds; round++) {
  const seed = `${Date.now() % 1_000_000_000}`;
  console.log(`Round ${round} of ${rounds}, seed ${seed}`);
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      'sdk-core/test/hostile.test.ts',
      'sdk-core/test/python-agreement.test.ts',
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, FLAGSVC_SEED: seed, FLAGSVC_PAIRS: '2000000', FLAGSVC_RANDOM_PAIRS: '1000000' },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}

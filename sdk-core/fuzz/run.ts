/**
 * `npm run fuzz -- --rounds 10`: the long form of what `npm test` samples. Each round throws two million hostile
 * pairs at the evaluator, and compares a million random pairs with the Python evaluator under another seed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const at = process.argv.indexOf('--rounds');
const rounds = at > 0 ? Number(process.argv[at + 1]) : 1;
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('--rounds takes a whole number from 1 on.');
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

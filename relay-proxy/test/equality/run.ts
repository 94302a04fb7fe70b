/** `npm run fuzz:relay -- --rounds 2`: in each round, 100,000 random calls to a server and its relay; `npm test` sends 2,000. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const CALLS = 100_000;
const at = process.argv.indexOf('--rounds');
const rounds = at > 0 ? Number(process.argv[at + 1]) : 1;
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('--rounds must be an integer of 1 or more.');
  process.exit(2);
}

for (let round = 1; round <= rounds; round++) {
  const seed = `${Date.now() % 1_000_000_000}`;
  console.log(`Round ${round} of ${rounds}: ${CALLS} calls, seed ${seed}`);
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'tests', 'relay-proxy/test/equality'],
    {
      cwd: join(import.meta.dirname, '..', '..', '..'),
      stdio: 'inherit',
      env: { ...process.env, FLAGSVC_SEED: seed, FLAGSVC_CALLS: String(CALLS) },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}

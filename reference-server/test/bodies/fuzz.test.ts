import { expect, test } from 'vitest';
import { CPU_MS_MAX, describe, GROWTH_BYTES_MAX, runCampaign } from './campaign.ts';

/** A sample of `npm run fuzz:bodies`. */
const BODIES = 5_000;
const SEED = 1_000_000;

test('reads or refuses every random body within the processor time limit, and leaks no memory', {
  timeout: 600_000,
}, async () => {
  const outcome = await runCampaign(BODIES, SEED);
  const { faults, statuses, slowestMs, growthBytes } = outcome;
  process.stdout.write(`${BODIES} bodies from seed ${SEED}: ${describe(outcome)}\n`);
  expect(faults).toEqual([]);
  expect(slowestMs).toBeLessThanOrEqual(CPU_MS_MAX);
  expect(growthBytes).toBeLessThanOrEqual(GROWTH_BYTES_MAX);
  // The bodies must cover every status.
  const rare = [200, 202, 400, 404, 413, 415, 422].filter((status) => (statuses.get(status) ?? 0) < 5);
  expect(rare).toEqual([]);
});

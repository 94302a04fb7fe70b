import { expect, test } from 'vitest';
import { createFastPath } from '../../src/data-plane/fast-path/fast-path.ts';
import { comparePaths } from './two-paths.ts';

const REQUESTS = 100_000;
/** The share of requests that the fast path must answer itself. */
const SHARE = 0.8;

test('the fast path answers a hundred thousand requests like the plain path, byte for byte', async () => {
  const fast = createFastPath();
  const { requests, difference } = await comparePaths(fast, REQUESTS);
  expect(difference).toBeUndefined();
  expect(requests).toBeGreaterThanOrEqual(REQUESTS);
  const { polls, rulesets, evaluations } = fast.counts;
  expect(Math.min(polls, rulesets, evaluations)).toBeGreaterThan(REQUESTS / 20);
  expect(polls + rulesets + evaluations).toBeGreaterThanOrEqual(SHARE * requests);
}, 120_000);

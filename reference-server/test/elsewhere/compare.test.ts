import { afterAll, expect, test } from 'vitest';
import { compareRound, createFindings } from './compare.ts';
import { GROWTHBOOK } from './growthbook.ts';
import { closeLaunchDarkly, LAUNCHDARKLY } from './launchdarkly.ts';
import { UNLEASH } from './unleash.ts';

/** `npm run fuzz:import` sets `FLAGSVC_SEED` and `FLAGSVC_ROUNDS`. */
const SEED = Number(process.env['FLAGSVC_SEED'] ?? 5_021);
const ROUNDS = Number(process.env['FLAGSVC_ROUNDS'] ?? 50);
/** So that a sample has 2,500 users for each product. */
const CONTEXTS = 50;

afterAll(closeLaunchDarkly);

test.each([LAUNCHDARKLY, UNLEASH, GROWTHBOOK])(
  'serves rules of $format to no more users than its own evaluator, and tells every difference',
  async (product) => {
    const findings = createFindings();
    for (let round = 0; round < ROUNDS; round++) {
      await compareRound(product, { seed: SEED + round, contexts: CONTEXTS }, findings);
    }
    const { widened, unexplained, equal, answers, leftOut, kinds } = findings;
    console.log(product.format, `seed ${SEED}`, {
      answers,
      equal,
      leftOut,
      kinds: Object.fromEntries(kinds),
    });
    expect([widened, unexplained, leftOut]).toEqual([[], [], 0]);
    expect(equal / answers).toBeGreaterThan(0.9);
    // Attributes of other types occur, and rules that cannot be expressed.
    expect(kinds.has('other-types-match')).toBe(true);
    expect(kinds.size).toBeGreaterThanOrEqual(4);
  },
);

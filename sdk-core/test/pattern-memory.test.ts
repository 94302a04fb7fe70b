import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createEvaluator, type Flag } from '../src/index.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

function flagWith(pattern: string): Flag {
  return {
    key: pattern,
    flag_type: 'boolean',
    enabled: true,
    variations: [
      { key: 'on', value: true },
      { key: 'off', value: false },
    ],
    default_variation: 'off',
    targeting_rules: [
      {
        id: 'rule',
        priority: 1,
        conditions: [{ attribute: 'note', operator: 'matches_regex', value: pattern }],
        variation: 'on',
      },
    ],
  };
}

const PATTERNS = 150;
const ROUNDS = 40;
const LENGTH = 1_000;
/** A limit per pattern instead of a shared one would allow 230 MB here. */
const MAXIMUM = 130_000_000;

/** A text of code points that no earlier text had. */
function textOf(round: number): string {
  const codes = Array.from({ length: LENGTH }, (_, place) => 0x4000 + (round * LENGTH + place));
  return String.fromCodePoint(...codes);
}

test('limits the memory of all patterns together', () => {
  const flags = Array.from({ length: PATTERNS }, (_, index) => flagWith(`x${index}`));
  const ruleset = { version: 1, environment_id: 'env_1', flags, segments: [], fetched_at: '' };
  const evaluator = createEvaluator(ruleset);
  evaluator.evaluateAll({});
  const before = heapBytes();
  let most = 0;
  for (let round = 0; round < ROUNDS; round++) {
    evaluator.evaluateAll({ user_key: 'u', attributes: { note: textOf(round) } });
    if (round % 4 === 3) most = Math.max(most, heapBytes() - before);
  }
  expect(most).toBeLessThan(MAXIMUM);
  // Emptying the cache changes no result.
  expect(evaluator.evaluate('x7', { attributes: { note: 'a x77' } }).value).toBe(true);
});

import { expect, test } from 'vitest';
import { compareExport, createFindings } from './compare.ts';
import { KINDS } from './export-differences.ts';

/** `FLAGSVC_SEED` and `FLAGSVC_ROUNDS` make it a campaign: `npm run fuzz:flagd`. */
const SEED = Number(process.env['FLAGSVC_SEED'] ?? 7_121);
const ROUNDS = Number(process.env['FLAGSVC_ROUNDS'] ?? 40);
const SIZE = { flags: 12, contexts: 100 };

test('serves nobody a rule in flagd who is not served it here, and explains every difference', () => {
  const findings = createFindings();
  for (let round = 0; round < ROUNDS; round++) {
    compareExport(SEED + round, SIZE, { patterns: true, rollouts: true }, findings);
  }
  expect(findings.answers).toBe(ROUNDS * SIZE.flags * SIZE.contexts);
  expect(findings.widened).toEqual([]);
  expect(findings.faults).toEqual([]);
  expect(findings.unexplained).toEqual([]);
  // A kind that no longer occurs is not a difference any more.
  expect([...findings.kinds.keys()].sort()).toEqual(KINDS.map(({ name }) => name).sort());
});

test('answers as we do for flags without rollouts and patterns, nine times of ten', () => {
  const findings = createFindings();
  for (let round = 0; round < ROUNDS / 2; round++) {
    compareExport(SEED + round, SIZE, { patterns: false, rollouts: false }, findings);
  }
  expect(findings.widened).toEqual([]);
  expect(findings.faults).toEqual([]);
  expect(findings.plainEqual / findings.plain).toBeGreaterThan(0.9);
});

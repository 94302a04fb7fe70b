import { expect, test } from 'vitest';
import { compareExport, createFindings } from './compare.ts';
import { KINDS } from './export-differences.ts';

/** `npm run fuzz:flagd` sets `FLAGSVC_SEED` and `FLAGSVC_ROUNDS`. */
const SEED = Number(process.env['FLAGSVC_SEED'] ?? 7_121);
const ROUNDS = Number(process.env['FLAGSVC_ROUNDS'] ?? 40);
const SIZE = { flags: 12, contexts: 100 };

test('flagd serves an exported rule only to users to whom our evaluator serves it, and every difference is explained', () => {
  const findings = createFindings();
  for (let round = 0; round < ROUNDS; round++) {
    compareExport(SEED + round, SIZE, { patterns: true, rollouts: true }, findings);
  }
  expect(findings.answers).toBe(ROUNDS * SIZE.flags * SIZE.contexts);
  expect(findings.widened).toEqual([]);
  expect(findings.faults).toEqual([]);
  expect(findings.unexplained).toEqual([]);
  // Every kind must occur: remove kinds that no longer occur.
  expect([...findings.kinds.keys()].sort()).toEqual(KINDS.map(({ name }) => name).sort());
});

test('without rollouts and patterns, flagd gives the same answer as our evaluator in nine of ten cases', () => {
  const findings = createFindings();
  for (let round = 0; round < ROUNDS / 2; round++) {
    compareExport(SEED + round, SIZE, { patterns: false, rollouts: false }, findings);
  }
  expect(findings.widened).toEqual([]);
  expect(findings.faults).toEqual([]);
  expect(findings.plainEqual / findings.plain).toBeGreaterThan(0.9);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeededRandom } from '@flagsvc/sdk-core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canTrace, losePower } from './power-loss.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-power-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const options = { timeout: 60_000, skip: !canTrace() };

test('loses no acknowledged write when the power is cut (skipped without strace)', options, async () => {
  const report = await losePower({ folder, writes: 15, states: 120, random: createSeededRandom(1) });
  expect(report.faults).toEqual([]);
  expect(report.operations).toBeGreaterThan(100);
  expect(report.states).toBe(120);
});

test('finds losses if syncs are ignored (skipped without strace)', options, async () => {
  const plan = { folder, writes: 10, states: 30, random: createSeededRandom(2), withoutSyncs: true };
  const report = await losePower(plan);
  expect(report.faults.some((fault) => /acknowledged|cannot be read|broken/.test(fault))).toBe(true);
});

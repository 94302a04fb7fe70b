import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { crash } from './crash.ts';

test('loses no acknowledged write when the process is killed under load', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-crash-'));
  try {
    const report = await crash({ folder, kills: 6, writers: 6, lifeMs: 700, random: Math.random });
    expect(report.faults).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(20);
    expect(report.versionsSeen).toBeGreaterThan(5);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

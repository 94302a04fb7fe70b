/**
 * Runs the crash test at full size on the build: `npm run crash -- [--kills 1000] [--writers 8] [--life 1000]`. `--life` is
 * the longest time in ms before a kill. Exits with 1 and keeps the database if there are faults.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CrashReport, crash } from './crash.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    writers: { type: 'string', default: '8' },
    life: { type: 'string', default: '1000' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'flagsvc-crash-'));
const report = await crash({
  folder,
  kills: Number(values.kills),
  writers: Number(values.writers),
  lifeMs: Number(values.life),
  random: Math.random,
  program: 'built',
  onKill: (soFar) => {
    if (soFar.kills % 50 === 0) describe(soFar);
  },
});
describe(report);
for (const fault of report.faults.slice(0, 50)) process.stdout.write(`FAULT ${fault}\n`);
if (report.faults.length === 0) rmSync(folder, { recursive: true });
else process.stdout.write(`The database is kept in ${folder}.\n`);
process.exitCode = report.faults.length === 0 ? 0 : 1;

function describe({ kills, acknowledged, unknown, versionsSeen, startsMs, faults }: CrashReport): void {
  const start = (share: number): string => startsMs[Math.ceil(startsMs.length * share) - 1]!.toFixed(0);
  process.stdout.write(
    `${kills} kills, ${acknowledged} acknowledged writes, writes in flight: ${unknown.applied} applied and ${unknown.lost} not, ` +
      `${versionsSeen} versions seen, ready after ${start(0.5)} ms (p50), ${start(0.99)} ms (p99), ${start(1)} ms (slowest; ` +
      `goal 500), ${faults.length} faults\n`,
  );
}

/**
 * Runs the power-loss replay at full size: `node --conditions=@flagsvc/source reference-server/test/faults/run.ts
 * [--states 10000] [--writes 200]`. Needs strace. Exits with 1 and keeps the recording if there are faults.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { canTrace, losePower } from './power-loss.ts';

const { values } = parseArgs({
  options: { states: { type: 'string', default: '10000' }, writes: { type: 'string', default: '200' } },
});
if (!canTrace()) throw new Error('strace is missing or not permitted on this machine.');
const folder = mkdtempSync(join(tmpdir(), 'flagsvc-power-'));
const report = await losePower({
  folder,
  writes: Number(values.writes),
  states: Number(values.states),
  random: Math.random,
});
process.stdout.write(
  `${values.writes} acknowledged writes, ${report.operations} operations on the disk, ${report.states} crash states, ${report.faults.length} faults\n`,
);
for (const fault of report.faults.slice(0, 50)) process.stdout.write(`FAULT ${fault}\n`);
if (report.faults.length === 0) rmSync(folder, { recursive: true });
else process.stdout.write(`The recording is kept in ${folder}.\n`);
process.exitCode = report.faults.length === 0 ? 0 : 1;

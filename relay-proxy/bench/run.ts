/**
 * `npm run bench:relay [-- --streams 5000 --toggles 20 --rounds 7 --milliseconds 1000 --only process,streams,fan-in]`:
 * measures the built relay. Exits with 1 when a goal is missed. Needs Linux, because it reads /proc.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pinGenerator, raisePriority } from '../../reference-server/bench/pinning.ts';
import { benchFanIn } from './bench-fan-in.ts';
import { benchProcess } from './bench-process.ts';
import { createBenchReport } from './bench-report.ts';
import { benchStreams } from './bench-streams.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '5000' },
    toggles: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '7' },
    milliseconds: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'streams,process,fan-in' },
  },
});
const parts = values.only.split(',');
const report = createBenchReport();
const folder = mkdtempSync(join(tmpdir(), 'flagsvc-bench-relay-'));
try {
  if (parts.includes('streams'))
    await benchStreams(report, {
      streams: Number(values.streams),
      toggles: Number(values.toggles),
      folder: join(folder, 'streams'),
    });
  if (parts.includes('process')) {
    const prefix = pinGenerator();
    raisePriority();
    await benchProcess(report, {
      folder: join(folder, 'process'),
      prefix,
      rounds: Number(values.rounds),
      milliseconds: Number(values.milliseconds),
    });
  }
  if (parts.includes('fan-in')) await benchFanIn(report, join(folder, 'fan-in'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(report.isMissed() ? 1 : 0);

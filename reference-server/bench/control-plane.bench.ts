/**
 * Measures the control plane with ten thousand flags. First in a child process: evaluations at a fixed rate, with and
 * without toggles. Then in this process: an import, list pages with search, a durable toggle, a compilation of the
 * ruleset, and every filter and order of a list of 5,000 flags in four environments. Exits with 1 when a goal is missed.
 *
 *     node --conditions=@flagsvc/source reference-server/bench/control-plane.bench.ts [--flags 10000] [--only flag-lists]
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureToggling } from './toggling.ts';

const { values: options } = parseArgs({
  options: { flags: { type: 'string', default: '10000' }, only: { type: 'string' } },
});
const flags = Number(options.flags);
/** The most milliseconds that toggles may add to the p99 of evaluations. Compiling a ruleset takes far longer. */
const TOGGLE_ALLOWANCE_MS = 20;

let missed = false;

function report(name: string, value: number, unit: string, goal?: number): void {
  const verdict =
    goal === undefined ? '' : value <= goal ? `  (goal ${goal} ${unit})` : `  MISSED: goal ${goal} ${unit}`;
  if (goal !== undefined && value > goal) missed = true;
  process.stdout.write(`${name.padEnd(58)} ${value.toFixed(2).padStart(9)} ${unit}${verdict}\n`);
}

async function benchDataPlane(databaseUrl: string): Promise<void> {
  const plan = { databaseUrl, flags, requestsPerSecond: 100, togglesPerSecond: 10, seconds: 8 };
  const { quiet, busy, all, fetches, toggles, stale } = await measureToggling(plan);
  const at = (times: readonly number[], share: number): number => times[Math.ceil(times.length * share) - 1]!;
  const goal = Math.round(at(quiet, 0.99) + TOGGLE_ALLOWANCE_MS);
  report('evaluation, 100 requests a second, no toggles: p50', at(quiet, 0.5), 'ms');
  report('evaluation, 100 requests a second, no toggles: p99', at(quiet, 0.99), 'ms');
  report('evaluation while 10 flags a second are toggled: p50', at(busy, 0.5), 'ms');
  report('evaluation while 10 flags a second are toggled: p99', at(busy, 0.99), 'ms', goal);
  report('  evaluations of all flags: p99', at(all, 0.99), 'ms');
  report('  polls that fetch each new version: p50', at(fetches, 0.5), 'ms');
  report('  polls that fetch each new version: p99', at(fetches, 0.99), 'ms');
  report('  durable toggle, published before it is acknowledged: p50', at(toggles, 0.5), 'ms');
  report('  durable toggle, published before it is acknowledged: p95', at(toggles, 0.95), 'ms');
  report('acknowledged toggles that /evaluate did not show', stale, '', 0);
}

const folder = await mkdtemp(join(tmpdir(), 'flagsvc-bench-'));
try {
  // The data plane comes first: `benchInProcess` fills this process's memory, which would slow down the load generator.
  if (options.only === undefined) await benchDataPlane(`sqlite:${join(folder, 'toggling.db')}`);
  const { benchInProcess, benchLongList } = await import('./in-process.ts');
  if (options.only === undefined) await benchInProcess({ folder, flags, report });
  await benchLongList({ folder, report });
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (missed) process.exitCode = 1;

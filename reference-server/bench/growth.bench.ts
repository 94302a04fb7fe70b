/**
 * Measures pages of an audit log with a million entries, and what they add to evaluations. Windows with and without
 * readers alternate, so that the two are compared within one run. Exits with 1 when a goal is missed.
 *
 *     npm run bench:growth -- [--entries 1000000] [--rounds 5] [--postgres]
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../test/postgres.ts';
import { measureGrowth } from './growth.ts';

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '8' },
    postgres: { type: 'boolean', default: false },
  },
});
/** Every page whose entries an index finds. The others are read beside the serving thread, however long they take. */
const PAGE_GOAL_MS = 50;
const FOUND_BY_INDEX = [
  'the first page',
  'the page after 200 entries',
  'one action',
  'one actor',
  'a day in the past',
];
/** The p99 with readers may be the greater of these two above the p99 without. */
const RATIO_MAX = 1.5;
const ALLOWANCE_MS = 3;

let missed = false;

function report(name: string, value: number, goal?: number): void {
  const isMissed = goal !== undefined && value > goal;
  missed ||= isMissed;
  const verdict = goal === undefined ? '' : `  ${isMissed ? 'MISSED: goal' : 'goal'} ${goal.toFixed(1)} ms`;
  console.log(`${name.padEnd(56)} ${value.toFixed(1).padStart(8)} ms${verdict}`);
}

const at = (times: readonly number[], share: number): number => times[Math.ceil(times.length * share) - 1]!;
const median = (values: readonly number[]): number =>
  at(
    [...values].sort((one, other) => one - other),
    0.5,
  );

const folder = await mkdtemp(join(tmpdir(), 'flagsvc-growth-'));
const postgres = options.postgres ? await startPostgres() : undefined;
try {
  const { pages, total, rounds, failures } = await measureGrowth({
    databaseUrl: postgres?.url ?? `sqlite:${join(folder, 'flags.db')}`,
    entries: Number(options.entries),
    rate: 100,
    rounds: Number(options.rounds),
    secondsPerWindow: Number(options.seconds),
  });
  console.log(
    `${options.entries} audit entries; meta.total of a page: ${total}; failed requests: ${failures}`,
  );
  for (const [name, times] of Object.entries(pages)) {
    report(`a page of ${name}: p50`, at(times, 0.5));
    report(
      `a page of ${name}: p95`,
      at(times, 0.95),
      FOUND_BY_INDEX.includes(name) ? PAGE_GOAL_MS : undefined,
    );
  }
  const quiet = median(rounds.map((round) => round.quiet));
  report('evaluation without readers: median of the p99', quiet);
  const goal = Math.max(quiet * RATIO_MAX, quiet + ALLOWANCE_MS);
  report('evaluation with readers: median of the p99', median(rounds.map((round) => round.busy)), goal);
  if (failures > 0) missed = true;
} finally {
  await postgres?.remove();
  await rm(folder, { recursive: true, force: true });
}
if (missed) process.exitCode = 1;

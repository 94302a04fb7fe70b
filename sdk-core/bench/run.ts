/**
 * `npm run bench`: compares the evaluator with hand-written code for the same flags, called the floor. Both run in turn
 * in one process. The result is the median, over five processes, of the ratio of their times. Exits with 1 if a ratio
 * exceeds its gate. `--json` prints the figures as JSON.
 */
import { spawnSync } from 'node:child_process';
import type { Context } from '../src/index.ts';
import { firstAnswerCase, mixedCase } from './mixed.ts';
import { type Case, growthCases, singleFlagCases } from './single-flag.ts';

/**
 * Seeds of V8's string hashes, one per process. The seed decides how many hash collisions a look-up in a floor's map
 * has. Random seeds would change the median by up to a fifth of a floor's time.
 */
const SEEDS = [1, 2, 3, 4, 5];
const ROUNDS = 201;
const MEAN_GATE = 1.7;
const EVALUATIONS = 1_000_000;
/** If the heap grows by at most this many bytes over a million evaluations, they count as allocation-free. */
const NOISE_BYTES = 200_000;

interface Row {
  readonly name: string;
  readonly floorNs: number;
  readonly oursNs: number;
  readonly ratio: number;
  readonly gate: number | undefined;
  readonly bytes: number | undefined;
}

const sink: unknown[] = [undefined];

/** Nanoseconds per call. Both sides are called from this loop, so that the engine inlines neither of them into it. */
function time(run: (context: Context) => unknown, contexts: readonly Context[], count: number): number {
  const start = process.hrtime.bigint();
  for (let i = 0, at = 0; i < count; i++) {
    sink[0] = run(contexts[at]!);
    at = at + 1 === contexts.length ? 0 : at + 1;
  }
  return Number(process.hrtime.bigint() - start) / count;
}

/** The 10th percentile: the time without interruptions by other processes. */
function typical(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 10)]!;
}

function measure(cases: readonly Case[], rounds: number): Row[] {
  const times = cases.map(() => ({ floor: [] as number[], ours: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    cases.forEach((one, i) => {
      times[i]!.floor.push(time(one.floor, one.contexts, one.perRound));
      times[i]!.ours.push(time(one.ours, one.contexts, one.perRound));
    });
  }
  return cases.map((one, i) => {
    const floorNs = typical(times[i]!.floor);
    const oursNs = typical(times[i]!.ours);
    const bytes = one.allocationFree ? allocatedBy(one) : undefined;
    return { name: one.name, floorNs, oursNs, ratio: oursNs / floorNs, gate: one.gate, bytes };
  });
}

/** Bytes allocated per evaluation, from the heap growth over a million evaluations. */
function allocatedBy({ ours, contexts }: Case): number {
  globalThis.gc!();
  const before = process.memoryUsage().heapUsed;
  time(ours, contexts, EVALUATIONS);
  const grown = process.memoryUsage().heapUsed - before;
  return grown < NOISE_BYTES ? 0 : grown / EVALUATIONS;
}

const nanoseconds = (ns: number): string =>
  ns < 10_000
    ? `${ns.toFixed(1)} ns`
    : ns < 1e6
      ? `${(ns / 1e3).toFixed(1)} µs`
      : `${(ns / 1e6).toFixed(1)} ms`;

/** The rows of this process. */
function measureAll(): Row[] {
  return [
    ...measure([...singleFlagCases, mixedCase()], ROUNDS),
    ...measure(growthCases, ROUNDS),
    ...measure([firstAnswerCase()], 9),
  ];
}

/** The rows of a new process with this hash seed. */
function measureInNewProcess(seed: number): Row[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, `--hash-seed=${seed}`, import.meta.filename, '--one-process'],
    { encoding: 'utf8', maxBuffer: 1e8 },
  );
  if (!stdout) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** The run with the median ratio, and the most bytes that any run allocated. */
function medianOf(runs: readonly Row[]): Row {
  const sorted = [...runs].sort((a, b) => a.ratio - b.ratio);
  const allocated = runs.flatMap(({ bytes }) => bytes ?? []);
  return {
    ...sorted[runs.length >> 1]!,
    bytes: allocated.length ? Math.max(...allocated) : undefined,
  };
}

function print(rows: readonly Row[]): void {
  for (const { name, floorNs, oursNs, ratio, gate, bytes } of rows) {
    const verdict = gate === undefined ? '' : ratio <= gate ? `≤ ${gate} ok` : `≤ ${gate} MISSED`;
    const allocated = bytes === undefined ? '' : `${bytes} bytes allocated`;
    console.log(
      [
        name.padEnd(44),
        nanoseconds(floorNs).padStart(10),
        nanoseconds(oursNs).padStart(10),
        `${ratio.toFixed(2)}x`.padStart(8),
        verdict.padEnd(12),
        allocated,
      ].join('  '),
    );
  }
}

if (process.argv.includes('--one-process')) console.log(JSON.stringify(measureAll()));
else {
  const runs = SEEDS.map(measureInNewProcess);
  const rows = runs[0]!.map((_, i) => medianOf(runs.map((run) => run[i]!)));
  const gated = rows.slice(0, singleFlagCases.length + 1);
  const mean = Math.exp(gated.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / gated.length);
  if (process.argv.includes('--json')) console.log(JSON.stringify({ rows, mean }, null, 2));
  else {
    print(rows);
    console.log(
      `geometric mean of the first ${gated.length}: ${mean.toFixed(2)}x, ≤ ${MEAN_GATE} ${mean <= MEAN_GATE ? 'ok' : 'MISSED'}`,
    );
    console.log('the floor of the last row is JSON.parse alone');
  }
  const missed = rows.some(({ ratio, gate, bytes }) => ratio > (gate ?? Infinity) || (bytes ?? 0) > 0);
  process.exitCode = missed || mean > MEAN_GATE ? 1 : 0;
}

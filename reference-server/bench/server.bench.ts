/**
 * Compares the data plane with a bare framework. Two servers share one core: the reference server, with the V8 options
 * of its launcher, and a plain Fastify app that sends constants of the same size. A generator on another core loads them
 * alternately. Only the ratios carry over to other machines: each is the bare server's processor time per request
 * divided by ours, as the median of the rounds. Wall-clock time would include other processes that use the core. Exits
 * with 1 when a goal is missed.
 *
 *     node --conditions=@flagsvc/source reference-server/bench/server.bench.ts [--milliseconds 1000] [--rounds 7]
 */

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { BANNER, UNBUNDLED } from '../tsup.config.ts';
import { measureRounds, type Round } from './interleaved-rounds.ts';
import { pinGenerator, raisePriority } from './pinning.ts';
import { type Case, describeCases } from './server-cases.ts';
import { startServer } from './start-server.ts';

const RSS_GOAL_MB = 200;

const { values: options } = parseArgs({
  options: { milliseconds: { type: 'string', default: '1000' }, rounds: { type: 'string', default: '7' } },
});

const prefix = pinGenerator();
raisePriority();

let isMissed = false;
const program = await bundleServer();
const ours = await startServer({ program, prefix });
const { cases, constants } = await describeCases(ours);
const bare = await startServer({ program, prefix, kind: 'bare', setup: { constants } });
const plan = { bare, ours, rounds: Number(options.rounds), milliseconds: Number(options.milliseconds) };

print('case', 'bare/s', 'flagsvc/s', 'ratio', 'goal', 'µs cpu', 'bare', 'generator');
for (const subject of cases) reportCase(subject, await measureRounds(subject, plan));
reportMemory((await ours.usage()).rssBytes);
ours.stop();
bare.stop();
process.exitCode = isMissed ? 1 : 0;

/** Bundles the server as it is shipped: stripping types at the start would cost the process 50 MB. */
async function bundleServer(): Promise<string> {
  await build({
    entryPoints: [fileURLToPath(new URL('./server-process.ts', import.meta.url))],
    outdir: fileURLToPath(new URL('../dist/bench', import.meta.url)),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@flagsvc/source'],
    external: UNBUNDLED,
    banner: { js: BANNER },
  });
  return fileURLToPath(new URL('../dist/bench/server-process.js', import.meta.url));
}

function reportCase({ name, goal }: Case, rounds: readonly Round[]): void {
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  const ratio = middle((round) => round.bare.micros / round.ours.micros);
  isMissed ||= ratio < goal;
  print(
    name,
    middle((round) => round.bare.perSecond).toFixed(0),
    middle((round) => round.ours.perSecond).toFixed(0),
    ratio.toFixed(2),
    `>= ${goal}${ratio < goal ? ' MISSED' : ''}`,
    middle((round) => round.ours.micros).toFixed(1),
    middle((round) => round.bare.micros).toFixed(1),
    middle((round) => Math.max(round.ours.generatorLoad, round.bare.generatorLoad)).toFixed(2),
  );
}

function reportMemory(rssBytes: number): void {
  const megabytes = rssBytes / 1e6;
  const isTooLarge = megabytes > RSS_GOAL_MB;
  isMissed ||= isTooLarge;
  process.stdout.write(
    `resident memory after the run ${megabytes.toFixed(0)} MB (goal <= ${RSS_GOAL_MB}${isTooLarge ? ', MISSED' : ''})\n`,
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function print(name: string, ...cells: readonly string[]): void {
  process.stdout.write(`${name.padEnd(42)}${cells.map((cell) => cell.padStart(12)).join('')}\n`);
}

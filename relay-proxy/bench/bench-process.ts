import { spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { measureRounds } from '../../reference-server/bench/interleaved-rounds.ts';
import { describeCases } from '../../reference-server/bench/server-cases.ts';
import { startServer } from '../../reference-server/bench/start-server.ts';
import { type BenchReport, percentile } from './bench-report.ts';
import { startBenchUpstream } from './bench-upstream.ts';
import { startRelayTarget } from './relay-target.ts';

const FLAGS = 1_000;
const STARTS = 15;
const IDLE_MS = 5_000;
const MB = 1e6;
const START_GOAL_MS = 400;
/** The names of the cases begin so. */
const RATIO_GOALS: Readonly<Record<string, number>> = {
  'GET /sdk/ruleset, 304': 0.7,
  'POST /evaluate, one': 0.6,
};

export interface ProcessPlan {
  readonly folder: string;
  readonly prefix: readonly string[];
  readonly rounds: number;
  readonly milliseconds: number;
}

/** Measures memory, the start from disk without a server, and the speed relative to a bare Fastify. */
export async function benchProcess(report: BenchReport, plan: ProcessPlan): Promise<void> {
  const { folder, prefix } = plan;
  const upstream = await startBenchUpstream(FLAGS);
  const { relayKey, server, url } = upstream;
  const options = { relayKey, apiKey: server.apiKey, folder, prefix };
  const relay = await startRelayTarget({ ...options, upstreamUrl: url });
  await wait(IDLE_MS);
  const idleMB = (await relay.usage()).rssBytes / MB;
  report.figure(`idle memory with ${FLAGS} flags`, idleMB, { unit: 'MB' });

  const { cases, constants } = await describeCases(relay);
  const bare = await startServer({ prefix, kind: 'bare', setup: { constants } });
  for (const subject of cases) {
    const rounds = await measureRounds(subject, { ...plan, bare, ours: relay });
    const ratio = percentile(
      rounds.map((round) => round.bare.micros / round.ours.micros),
      0.5,
    );
    const perSecond = percentile(
      rounds.map((round) => round.ours.perSecond),
      0.5,
    );
    const [, goal] = Object.entries(RATIO_GOALS).find(([name]) => subject.name.startsWith(name)) ?? [];
    const limit = goal === undefined ? {} : { goal, atLeast: true };
    report.figure(`${subject.name}: share of bare Fastify`, ratio, { unit: '', digits: 2, ...limit });
    report.figure(`${subject.name}: on one core`, perSecond, { unit: 'req/s' });
  }
  report.figure('memory after this load', (await relay.usage()).rssBytes / MB, { unit: 'MB' });
  bare.stop();
  await relay.end();
  server.stop();

  const starts: number[] = [];
  const emptyStarts: number[] = [];
  for (let count = 0; count < STARTS; count++) {
    const started = await startRelayTarget({ ...options, upstreamUrl: 'http://127.0.0.1:9' });
    starts.push(started.startMs);
    await started.end();
    const from = performance.now();
    spawnSync(process.execPath, ['--eval', '0']);
    emptyStarts.push(performance.now() - from);
  }
  report.figure(
    'start from disk without a server, to the first evaluation, median',
    percentile(starts, 0.5),
    {
      unit: 'ms',
      goal: START_GOAL_MS,
    },
  );
  report.figure('  an empty Node.js process at the same time, median', percentile(emptyStarts, 0.5), {
    unit: 'ms',
  });
  report.figure(`start from disk, slowest of ${STARTS}`, percentile(starts, 1), { unit: 'ms' });
}

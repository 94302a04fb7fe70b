import { type Load, openLoad } from './load.ts';
import type { Case } from './server-cases.ts';
import type { BenchServer } from './start-server.ts';

export interface Measure {
  readonly perSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly micros: number;
  readonly generatorLoad: number;
  /** Number of 503 answers: on a busy machine the server may fall behind and refuse requests (decisions/0036). */
  readonly refused: number;
}

/** Both servers, measured one right after the other. */
export interface Round {
  readonly bare: Measure;
  readonly ours: Measure;
}

export interface RoundsPlan {
  readonly bare: BenchServer;
  readonly ours: BenchServer;
  readonly rounds: number;
  readonly milliseconds: number;
}

const CONNECTIONS = 32;
const WARM_UP_MS = 500;
const WARM_UP_REQUESTS = 10_000;
/** A case may take this many times the planned number of rounds before it fails. */
const MAX_TRIES = 3;

/** Measures a case in rounds. A round with refusals is repeated, since a refusal is cheap and looks like a fast answer. */
export async function measureRounds(subject: Case, plan: RoundsPlan): Promise<Round[]> {
  const open = ({ port }: BenchServer, requests: readonly Buffer[]): Promise<Load> =>
    openLoad({ port, requests, expectedStatus: subject.status, connections: CONNECTIONS });
  const loads = {
    bare: await open(plan.bare, subject.bare),
    ours: await open(plan.ours, subject.ours),
  };
  await warmUp(loads.bare);
  await warmUp(loads.ours);
  const rounds: Round[] = [];
  for (let tries = 0; rounds.length < plan.rounds && tries < plan.rounds * MAX_TRIES; tries++) {
    const round = {
      bare: await measure(plan.bare, loads.bare, plan.milliseconds),
      ours: await measure(plan.ours, loads.ours, plan.milliseconds),
    };
    if (round.ours.refused === 0) rounds.push(round);
  }
  loads.bare.close();
  loads.ours.close();
  if (rounds.length < plan.rounds) throw new Error(`${subject.name}: the server kept refusing requests.`);
  return rounds;
}

/**
 * Sends requests until V8 has optimized the code. Counts requests rather than seconds, which say little on a busy
 * machine.
 */
async function warmUp(load: Load): Promise<void> {
  for (let answered = 0; answered < WARM_UP_REQUESTS; ) answered += (await load.run(WARM_UP_MS)).answered;
}

async function measure(server: BenchServer, load: Load, milliseconds: number): Promise<Measure> {
  const before = await server.usage();
  const { answered, seconds, generatorLoad, unexpected } = await load.run(milliseconds);
  const after = await server.usage();
  const { 503: refused = 0, ...wrong } = unexpected;
  if (Object.keys(wrong).length > 0) throw new Error(`Unexpected answers: ${JSON.stringify(wrong)}`);
  return {
    perSecond: answered / seconds,
    micros: (after.cpuMicros - before.cpuMicros) / answered,
    generatorLoad,
    refused,
  };
}

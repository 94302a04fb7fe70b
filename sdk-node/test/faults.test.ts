/** Each fault, in five phases of a client's life, polling and streaming, against a real server that is put under it. */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeClient, type NodeClient, type NodeClientOptions } from '@flagsvc/sdk-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultWorld, startFaultServers } from './fault-world.ts';
import { FAULTS } from './faults.ts';
import { until } from './loopback-server.ts';

const user = { user_key: 'u1' };
const ANSWERS = ['/sdk/ruleset', '/sdk/stream'];
const MAX_BLOCKED_MS = 50;
const MAX_LATE_MS = 150;
/** A busy machine is no fault. */
const LONG = { timeoutMs: 30_000 };

/** One client's world under one fault. */
interface Cell extends FaultWorld {
  readonly fault: string;
  readonly streaming: boolean;
  /** A client whose times are 300 times shorter. */
  open(options?: Partial<NodeClientOptions>): NodeClient;
}

let servers: ReturnType<typeof startFaultServers>;
let scratch: string;
let worstMs = 0;
/** By how much the latest of a round's limits was missed. */
let lateMs = 0;
beforeAll(async () => {
  servers = startFaultServers();
  scratch = await mkdtemp(join(tmpdir(), 'flagsvc-faults-'));
  // What is loaded with the first request is no fault's doing.
  for (const phase of Object.values(PHASES)) await runCell('status 500', phase, true);
});
afterAll(async () => {
  console.log(`the longest turn took ${worstMs.toFixed(1)} ms of at most ${MAX_BLOCKED_MS}`);
  await servers.close();
  await rm(scratch, { recursive: true, maxRetries: 5 });
});

const greeting = (client: NodeClient) => client.flag('greeting', user, 'default');
const balance = (client: NodeClient) => {
  const { recorded, delivered, pending, dropped } = client.stats();
  expect(delivered + pending + dropped).toBe(recorded);
  return { pending, recorded };
};
/** To a client that has a tag, a 304 is an answer. */
const isAnswer = ({ fault }: Cell) => fault === 'status 304 unasked';
const isDown = (client: NodeClient) => ['stale', 'unauthorized'].includes(client.status());
/** Runs work that has to end after a time; on a busy machine a timer of the same length is as late. */
const endsAfter = async <T>(limitMs: number, work: Promise<T>): Promise<T> => {
  const yardstick = new Promise<number>((resolve) => setTimeout(() => resolve(performance.now()), limitMs));
  const result = await work;
  lateMs = Math.max(lateMs, performance.now() - (await yardstick));
  return result;
};

type Phase = (cell: Cell) => Promise<void>;
const PHASES: Record<string, Phase> = {
  async 'before the start'(cell) {
    await cell.break(ANSWERS);
    await using client = cell.open();
    const status = await endsAfter(150, client.ready({ timeoutMs: 150 }));
    expect(['initializing', 'unauthorized']).toContain(status);
    expect(greeting(client)).toBe('default');
    await cell.serve(1);
    await until(() => greeting(client) === 'v1');
    expect(client.status()).toBe('ready');
  },
  async 'while starting'(cell) {
    await cell.break(ANSWERS, 30);
    await using client = cell.open();
    // Nobody arrives at a server that is not there.
    const isThere = typeof FAULTS[cell.fault] === 'function';
    do await new Promise((resolve) => setTimeout(resolve, 5));
    while (isThere && (await cell.polls()) === 0);
    expect(greeting(client)).toBe('default');
    await cell.serve(1);
    await until(() => greeting(client) === 'v1');
    expect(client.status()).toBe('ready');
  },
  async 'in steady state'(cell) {
    await cell.serve(1);
    await using client = cell.open();
    expect(await client.ready(LONG)).toBe('ready');
    await cell.break(ANSWERS);
    if (!isAnswer(cell)) await until(() => isDown(client));
    for (let i = 0; i < 5; i++) {
      expect(greeting(client)).toBe('v1');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await cell.serve(2);
    await until(() => greeting(client) === 'v2');
    expect(client.status()).toBe('ready');
    await client.flush();
    balance(client);
  },
  async 'with saved state'(cell) {
    const cacheDir = await mkdtemp(join(scratch, 'cache-'));
    await cell.serve(1);
    const first = cell.open({ cacheDir });
    expect(await first.ready(LONG)).toBe('ready');
    await first.close();
    await cell.break(ANSWERS);
    await until(() => readdirSync(cacheDir).some((name) => name.endsWith('.json')));
    const client = cell.open({ cacheDir });
    expect(client.status()).toBe('cached');
    expect(greeting(client)).toBe('v1');
    await until(() => (isAnswer(cell) ? client.status() === 'ready' : isDown(client)));
    expect(greeting(client)).toBe('v1');
    await cell.serve(2);
    await until(() => greeting(client) === 'v2');
    expect(client.status()).toBe('ready');
    await client.close();
  },
  async 'while closing'(cell) {
    await cell.serve(1);
    const client = cell.open();
    expect(await client.ready(LONG)).toBe('ready');
    await cell.break([...ANSWERS, '/sdk/events']);
    for (let i = 0; i < 5; i++) greeting(client);
    client.track('bought', user);
    await endsAfter(200, client.close({ timeoutMs: 200 }));
    expect(balance(client)).toEqual({ pending: 0, recorded: 6 });
    expect([client.status(), greeting(client)]).toEqual(['closed', 'v1']);
  },
};

/** Only the stream is at fault: nobody notices, since polling goes on. */
const streamAlone = async (cell: Cell) => {
  await cell.serve(1);
  // Long, so that a busy machine is not taken for a fault.
  await using client = cell.open({ requestTimeoutMs: 5000 });
  expect(await client.ready(LONG)).toBe('ready');
  const statuses: string[] = [];
  client.on('status', (status) => statuses.push(status));
  await cell.break(['/sdk/stream']);
  await cell.serve(2, ['/sdk/stream']);
  await until(() => greeting(client) === 'v2');
  await cell.serve(3);
  await until(() => greeting(client) === 'v3');
  expect(statuses).toEqual([]);
};

const runCell = async (fault: string, phase: Phase, streaming: boolean) => {
  const world = await servers.open(fault);
  const open: Cell['open'] = (options) =>
    createNodeClient({
      apiKey: 'sdk-dev-faults',
      baseUrl: world.baseUrl,
      pollIntervalMs: 100,
      requestTimeoutMs: 150,
      retryBaseMs: 5,
      flushIntervalMs: 50,
      maxBodyBytes: 1_000_000,
      logger: false,
      streaming,
      ...options,
    });
  await phase({ ...world, fault, streaming, open });
  await world.close();
};

/** The longest time for which this thread computed without taking its next turn. What else runs does not count. */
const watchTurns = () => {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user: own, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (own + system) / 1000);
    before = process.threadCpuUsage();
  }, 1);
  return () => {
    clearInterval(timer);
    return longestMs;
  };
};

/** Runs a fault's cells at a time; the longest turn meanwhile, and whether it and the limits were kept. */
const runRound = async (fault: string, cells: readonly (readonly [string, Phase, boolean])[]) => {
  lateMs = 0;
  const longestMs = watchTurns();
  const outcomes = await Promise.allSettled(
    cells.map(([_, phase, streaming]) => runCell(fault, phase, streaming)),
  );
  const blockedMs = longestMs();
  const failures = outcomes.flatMap((outcome, i) => {
    const [name, _, streaming] = cells[i]!;
    return outcome.status === 'rejected'
      ? `${name}, ${streaming ? 'streaming' : 'polling'}: ${outcome.reason}`
      : [];
  });
  expect(failures).toEqual([]);
  return { blockedMs, lateMs, isInTime: blockedMs < MAX_BLOCKED_MS && lateMs < MAX_LATE_MS };
};

const ROUNDS = Number(process.env['FLAGSVC_FAULT_ROUNDS'] ?? 1);

test.each(Object.keys(FAULTS))('%s', { timeout: 120_000 * ROUNDS }, async (fault) => {
  const cells = [true, false].flatMap((streaming) =>
    Object.entries(PHASES).map(([name, phase]) => [name, phase, streaming] as const),
  );
  if (typeof FAULTS[fault] === 'function') cells.push(['on the stream alone', streamAlone, true]);
  for (let round = 0; round < ROUNDS; round++) {
    // A busy machine may be late, but not each time.
    const times = [await runRound(fault, cells)];
    while (times.length < 3 && !times.at(-1)!.isInTime) times.push(await runRound(fault, cells));
    worstMs = Math.max(worstMs, times.at(-1)!.blockedMs);
    expect(times.at(-1), JSON.stringify(times)).toMatchObject({ isInTime: true });
  }
});

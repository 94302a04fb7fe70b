/** Clients that share one poller over real sockets, in threads and processes. Only the test moves their clocks. */
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import type { ClientStats, Fault } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClientOn } from '../src/client/node-client.ts';
import { json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';
import { type SteppedClock, startSteppedClock } from './stepped-clock.ts';

const RULESET = '/sdk/ruleset';
const CHILD = join(import.meta.dirname, 'shared-child.ts');
const EXEC = ['--conditions=@flagsvc/source'];
const POLL_MS = 2000;
/** The leader polls within this time; its followers wait twice the interval. */
const STEP_MS = 1.1 * POLL_MS;

/** A client in another thread or process, and what it has reported. */
interface Member {
  greeting: string;
  status: string;
  polls: number;
  /** The time on the client's own clock. */
  nowMs: number;
  faults: string[];
  stats?: ClientStats;
  command(command: { readonly advanceMs?: number; readonly evaluations?: number }): void;
  /** Kills the client's thread or process without warning. */
  kill(): Promise<unknown>;
}
type Open = (data: object, onMessage: (message: object) => void) => Pick<Member, 'command' | 'kill'>;

const openThread: Open = (data, onMessage) => {
  const worker = new Worker(CHILD, { workerData: data, execArgv: EXEC, env: process.env });
  worker.on('message', onMessage);
  return { command: (command) => worker.postMessage(command), kill: () => worker.terminate() };
};
const openProcess: Open = (data, onMessage) => {
  const child = fork(CHILD, [JSON.stringify(data)], { execArgv: EXEC });
  child.on('message', onMessage);
  return {
    command: (command) => child.send(command),
    kill: () => new Promise((resolve) => child.on('close', resolve).kill('SIGKILL')),
  };
};
const openClusterWorker: Open = (data, onMessage) => {
  cluster.setupPrimary({ exec: CHILD, args: [JSON.stringify(data)], execArgv: EXEC });
  const worker = cluster.fork();
  worker.on('message', onMessage);
  return {
    command: (command) => worker.send(command),
    kill: () => new Promise((resolve) => worker.process.on('close', resolve).kill('SIGKILL')),
  };
};

let server: LoopbackServer;
let scratch: string;
let members: Member[];
let stepped: SteppedClock;
const { TMPDIR } = process.env;
const serve = (version: number) =>
  server.on(
    RULESET,
    json({ data: createTestRuleset({ greeting: `v${version}` }, version) }, `"v${version}"`),
  );
const start = (open: Open) => {
  const member = {
    greeting: '',
    status: '',
    polls: 0,
    nowMs: 0,
    faults: [] as string[],
  } as unknown as Member;
  const onMessage = (message: { polled?: true; fault?: string }) => {
    if (message.polled) member.polls++;
    else if (message.fault) member.faults.push(message.fault);
    else Object.assign(member, message);
  };
  Object.assign(member, open({ baseUrl: server.baseUrl, pollIntervalMs: POLL_MS }, onMessage));
  members.push(member);
  return member;
};
const isServed = (version: number) => () =>
  members.every(({ status, greeting }) => status === 'ready' && greeting === `v${version}`);
const allServe = (version: number) => until(isServed(version));
/** Advances the clocks of all members. The leader's is last, so that followers receive its payload at their new time. */
const advanceMembers = async (advanceMs: number) => {
  for (const member of [...members].sort((one, other) => one.polls - other.polls)) {
    const target = member.nowMs + advanceMs;
    member.command({ advanceMs });
    await until(() => member.nowMs === target);
  }
};
const polls = () => server.arrivals(RULESET).length;
const folder = () => join(scratch, `flagsvc-${process.getuid!()}`);

beforeEach(async () => {
  members = [];
  scratch = await mkdtemp(join(tmpdir(), 'flagsvc-shared-'));
  process.env['TMPDIR'] = scratch;
  stepped = startSteppedClock();
  server = await startLoopbackServer();
  serve(1);
  server.on('/sdk/events', (_, response) => response.writeHead(202).end('{}'));
});
afterEach(async () => {
  await Promise.all(members.map((member) => member.kill()));
  stepped.stop();
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  await server.close();
  await rm(scratch, { recursive: true, maxRetries: 5 });
});

describe.each<[string, readonly Open[]]>([
  ['threads', [openThread, openThread, openThread, openThread]],
  ['processes', [openProcess, openProcess, openProcess, openProcess]],
  ['the workers of a cluster', [openClusterWorker, openClusterWorker, openClusterWorker, openClusterWorker]],
  ['threads and processes together', [openThread, openProcess, openThread, openProcess]],
])('%s', (_, opens) => {
  test('clients share one poller, and each sends its own events', async () => {
    for (const open of opens) start(open);
    await allServe(1);
    expect(members.map((member) => member.polls).sort()).toEqual([0, 0, 0, 1]);
    for (const version of [2, 3]) {
      serve(version);
      await advanceMembers(STEP_MS);
      await allServe(version);
    }
    expect(members.map((member) => member.polls).sort()).toEqual([0, 0, 0, 3]);
    members.forEach((member, i) => {
      member.command({ evaluations: i });
    });
    await until(() => members.every(({ stats }) => stats));
    // Each client also evaluated once per version.
    expect(members.map(({ stats }) => stats!.delivered)).toEqual([3, 4, 5, 6]);
    expect(members.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('clients elect another poller at once when theirs is killed', async () => {
    for (const open of opens) start(open);
    await allServe(1);
    // At 0.8 of an interval no scheduled poll is due yet, but a newly elected leader polls at once, because the last poll is more than half an interval old.
    await advanceMembers(0.8 * POLL_MS);
    serve(2);
    const leader = members.find((member) => member.polls === 1)!;
    members = members.filter((member) => member !== leader);
    await leader.kill();
    // A client that the dying leader refused tries again after 200 ms. After a second it would poll on its own.
    for (let waitedMs = 0; waitedMs < 800 && !isServed(2)(); waitedMs += 200) {
      await until(isServed(2), 1000).catch(() => advanceMembers(200));
    }
    await allServe(2);
    expect(polls()).toBe(2);
    expect(await readdir(folder())).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.2$/)]);
  });
});

/** Clients of this thread. */
const clients = (count: number, options: object = {}) => {
  const faults: Fault[] = [];
  const opened = Array.from({ length: count }, () =>
    createClientOn(stepped.clock, {
      apiKey: 'sdk-dev-shared',
      baseUrl: server.baseUrl,
      shared: true,
      events: false,
      pollIntervalMs: POLL_MS,
      logger: (fault) => void faults.push(fault),
      ...options,
    }),
  );
  return { faults, opened, close: () => Promise.all(opened.map((client) => client.close())) };
};
const greetings = (opened: ReturnType<typeof clients>['opened']) =>
  opened.map((client) => client.flag('greeting', { user_key: 'u' }, ''));
const greet = (opened: ReturnType<typeof clients>['opened'], version: number) =>
  until(() => greetings(opened).every((greeting) => greeting === `v${version}`));

test('one stream serves all clients, and none of them polls', async () => {
  const streams: ((version: number, ruleset?: object) => unknown)[] = [];
  server.on('/sdk/stream', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const announce = (version: number, ruleset?: object) =>
      response.write(
        `event: ruleset.updated\ndata: ${JSON.stringify({ version, etag: `"v${version}"`, refetch_within_ms: 0, ruleset })}\n\n`,
      );
    announce(1);
    streams.push(announce);
  });
  const { opened, close } = clients(3, { streaming: true });
  await until(() => streams.length === 1);
  await greet(opened, 1);
  serve(2);
  streams[0]!(2);
  await greet(opened, 2);
  const before = polls();
  // Each step is shorter than the leader's interval; together they exceed twice the interval, when followers would poll.
  for (const version of [3, 4, 5, 6]) {
    await stepped.advance(0.8 * POLL_MS);
    streams[0]!(version, createTestRuleset({ greeting: `v${version}` }, version));
    await greet(opened, version);
  }
  expect([polls(), streams.length]).toEqual([before, 1]);
  await close();
  await expect.poll(() => readdir(folder())).toEqual([]);
});

test('clients with different keys or cache folders do not share a poller', async () => {
  const groups = [
    clients(2),
    clients(2, { apiKey: 'sdk-dev-other' }),
    clients(2, { cacheDir: join(scratch, 'cache') }),
  ];
  for (const { opened } of groups) await greet(opened, 1);
  expect(polls()).toBe(3);
  await Promise.all(groups.map(({ close }) => close()));
});

test('clients that start at random times share one poller', async () => {
  const { opened, close } = clients(4, { startJitterMs: 200 });
  await stepped.advance(200);
  await greet(opened, 1);
  expect(polls()).toBe(1);
  await close();
});

test('a ruleset from disk that the server confirms reaches clients that have none', async () => {
  const cacheDir = join(scratch, 'cache');
  const first = clients(1, { cacheDir });
  await until(() => first.opened[0]!.status() === 'ready');
  await first.close();
  await expect.poll(() => readdir(cacheDir)).toHaveLength(1);
  const leader = clients(1, { cacheDir });
  await until(() => leader.opened[0]!.status() === 'ready');
  await rm(cacheDir, { recursive: true });
  const follower = clients(1, { cacheDir });
  await greet(follower.opened, 1);
  expect(polls()).toBe(2);
  await Promise.all([leader.close(), follower.close()]);
});

test('a leader whose socket name was deleted makes way for the next leader', async () => {
  const first = clients(1);
  await greet(first.opened, 1);
  await rm(folder(), { recursive: true });
  const second = clients(2);
  await greet(second.opened, 1);
  expect(polls()).toBe(2);
  // Both leaders poll until the first one notices: after each message it checks that its name still exists.
  let pollsOfStep = 2;
  for (let version = 2; pollsOfStep > 1 && version < 20; version++) {
    const before = polls();
    serve(version);
    await stepped.advance(STEP_MS);
    await greet([...first.opened, ...second.opened], version);
    pollsOfStep = polls() - before;
  }
  expect(pollsOfStep).toBe(1);
  await Promise.all([first.close(), second.close()]);
});

test('if other users can enter the folder, each client polls on its own and reports that', async () => {
  await mkdir(folder(), { mode: 0o755 });
  const { opened, faults, close } = clients(2);
  await greet(opened, 1);
  expect(polls()).toBe(2);
  expect(faults).toEqual(Array(2).fill({ code: 'SHARING', detail: `${folder()} is not private` }));
  await close();
});

test('if the leader refuses connections, a client retries every 200 ms, and polls on its own after a second', async () => {
  const first = clients(1);
  await greet(first.opened, 1);
  const [name] = await readdir(folder());
  await first.close();
  await expect.poll(() => readdir(folder())).toEqual([]);
  let visits = 0;
  const leader = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => leader.listen(join(folder(), name!), resolve));
  const before = polls();
  const { opened, close } = clients(1);
  for (const visit of [1, 2, 3, 4, 5]) {
    await until(() => visits === visit);
    expect(polls()).toBe(before);
    await stepped.advance(200);
  }
  await greet(opened, 1);
  expect(polls()).toBe(before + 1);
  await close();
  await new Promise((resolve) => leader.close(resolve));
});

test('a follower that reads nothing does not fill the memory of the leader', async () => {
  const filler = 'x'.repeat(30_000);
  const answer = (version: number) =>
    json({ data: createTestRuleset({ greeting: `v${version}`, filler }, version) }, `"v${version}"`);
  server.on(RULESET, answer(1));
  const { opened, close } = clients(1, { maxBodyBytes: 40_000 });
  await greet(opened, 1);
  const [name] = await readdir(folder());
  const idle = connect(join(folder(), name!));
  let received = 0;
  for (let version = 2; version < 40; version++) {
    server.on(RULESET, answer(version));
    await stepped.advance(STEP_MS);
    await greet(opened, version);
  }
  idle.on('data', (chunk) => {
    received += chunk.length;
  });
  await new Promise((resolve) => idle.on('close', resolve));
  expect(received).toBeLessThan(30 * filler.length);
  await close();
});

test('a thousand sharing clients, opened and closed at random, leave no socket name and no open file', async () => {
  const files = async () => (await readdir('/proc/self/fd')).length;
  const before = await files();
  for (let i = 0; i < 1000; i++) {
    const { opened } = clients(1);
    for (let turns = 0; turns < i % 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    await opened[0]!.close({ timeoutMs: 0 });
  }
  await expect.poll(() => readdir(folder())).toEqual([]);
  // Remaining connections to the server close by themselves.
  await expect.poll(files, { timeout: 10_000 }).toBeLessThan(before + 20);
});

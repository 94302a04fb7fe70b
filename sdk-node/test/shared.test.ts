import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { type ClientStats, createNodeClient, type Fault } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';

/** On a machine that stands still for a second those who hear nothing rightly fetch themselves. */
const RETRIED = { retry: 2 };
const RULESET = '/sdk/ruleset';
const CHILD = join(import.meta.dirname, 'shared-child.ts');
const EXEC = ['--conditions=@flagsvc/source'];

/** One client somewhere else, as far as it is heard of. */
interface Member {
  greeting: string;
  status: string;
  polls: number;
  faults: string[];
  stats?: ClientStats;
  count(times: number): void;
  /** Ends it from outside, without a word to it. */
  kill(): Promise<unknown>;
}
type Open = (data: object, hear: (message: object) => void) => Pick<Member, 'count' | 'kill'>;

const openThread: Open = (data, hear) => {
  const worker = new Worker(CHILD, { workerData: data, execArgv: EXEC, env: process.env });
  worker.on('message', hear);
  return { count: (times) => worker.postMessage(times), kill: () => worker.terminate() };
};
const openProcess: Open = (data, hear) => {
  const child = fork(CHILD, [JSON.stringify(data)], { execArgv: EXEC });
  child.on('message', hear);
  return {
    count: (times) => child.send(times),
    kill: () => new Promise((resolve) => child.on('close', resolve).kill('SIGKILL')),
  };
};
const openClusterWorker: Open = (data, hear) => {
  cluster.setupPrimary({ exec: CHILD, args: [JSON.stringify(data)], execArgv: EXEC });
  const worker = cluster.fork();
  worker.on('message', hear);
  return {
    count: (times) => worker.send(times),
    kill: () => new Promise((resolve) => worker.process.on('close', resolve).kill('SIGKILL')),
  };
};

let server: LoopbackServer;
let scratch: string;
let members: Member[];
const { TMPDIR } = process.env;
const serve = (version: number) =>
  server.on(
    RULESET,
    json({ data: createTestRuleset({ greeting: `v${version}` }, version) }, `"v${version}"`),
  );
const start = (open: Open, options: object) => {
  const member = { greeting: '', status: '', polls: 0, faults: [] as string[] } as unknown as Member;
  const hear = (message: { polled?: true; fault?: string }) => {
    if (message.polled) member.polls++;
    else if (message.fault) member.faults.push(message.fault);
    else Object.assign(member, message);
  };
  Object.assign(member, open({ baseUrl: server.baseUrl, ...options }, hear));
  members.push(member);
  return member;
};
/** Waits until all are ready, and then until the ruleset was asked for some more times: by one member alone. */
const onlyPoller = async (times = 3): Promise<Member> => {
  await until(() => members.every(({ status, greeting }) => status === 'ready' && greeting === 'v1'));
  const before = members.map((member) => member.polls);
  const startedAt = polls();
  const poll = () => members.filter((member, i) => member.polls > before[i]!);
  await until(() => polls() >= startedAt + times && poll().length > 0);
  expect(poll()).toHaveLength(1);
  return poll()[0]!;
};
const polls = () => server.arrivals(RULESET).length;
const folder = () => join(scratch, `flagsvc-${process.getuid!()}`);

beforeEach(async () => {
  members = [];
  scratch = await mkdtemp(join(tmpdir(), 'flagsvc-shared-'));
  process.env['TMPDIR'] = scratch;
  server = await startLoopbackServer();
  serve(1);
  server.on('/sdk/events', (_, response) => response.writeHead(202).end('{}'));
});
afterEach(async () => {
  await Promise.all(members.map((member) => member.kill()));
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  await server.close();
  await rm(scratch, { recursive: true, maxRetries: 5 });
});

describe.each<[string, Open]>([
  ['threads', openThread],
  ['processes', openProcess],
  ['the workers of a cluster', openClusterWorker],
])('%s', (_, open) => {
  test('share one poller, and each reports its own events', RETRIED, async () => {
    for (let i = 0; i < 4; i++) start(open, { pollIntervalMs: 700 });
    const leader = await onlyPoller();
    serve(2);
    await until(() => members.every(({ greeting }) => greeting === 'v2'));
    const before = members.map(({ polls }) => polls);
    expect(members.filter((member, i) => member !== leader && member.polls > before[i]!)).toEqual([]);
    members.forEach((member, i) => {
      member.count(i + 1);
    });
    await until(() => members.every(({ stats }) => stats));
    // What each greeting was read by is counted, too.
    expect(members.map(({ stats }) => stats!.delivered)).toEqual([3, 4, 5, 6]);
    expect(members.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test('when the one that polls is killed, another one does within a second', RETRIED, async () => {
    for (let i = 0; i < 3; i++) start(open, { pollIntervalMs: 2000 });
    const leader = await onlyPoller(1);
    members = members.filter((member) => member !== leader);
    // So that a fetch is due for whoever leads; the others would not fetch before 4 s are over.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    serve(2);
    const before = polls();
    await leader.kill();
    await until(() => members.every(({ greeting }) => greeting === 'v2'), 2000);
    expect(polls()).toBe(before + 1);
    expect(await readdir(folder())).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.2$/)]);
  });
});

test('threads and processes share one poller', RETRIED, async () => {
  for (const open of [openThread, openProcess]) start(open, { pollIntervalMs: 700 });
  await onlyPoller();
});

/** Clients of this thread. */
const clients = (count: number, options: object = {}) => {
  const faults: Fault[] = [];
  const opened = Array.from({ length: count }, () =>
    createNodeClient({
      apiKey: 'sdk-dev-shared',
      baseUrl: server.baseUrl,
      shared: true,
      events: false,
      logger: (fault) => void faults.push(fault),
      ...options,
    }),
  );
  return { faults, opened, close: () => Promise.all(opened.map((client) => client.close())) };
};
const greetings = (opened: ReturnType<typeof clients>['opened']) =>
  opened.map((client) => client.flag('greeting', { user_key: 'u' }, ''));

test('one stream serves all, and what it tells reaches all at once', RETRIED, async () => {
  const streams: ((version: number, ruleset?: object) => unknown)[] = [];
  server.on('/sdk/stream', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const tell = (version: number, ruleset?: object) =>
      response.write(
        `event: ruleset.updated\ndata: ${JSON.stringify({ version, etag: `"v${version}"`, refetch_within_ms: 0, ruleset })}\n\n`,
      );
    tell(1);
    streams.push(tell);
    const heart = setInterval(() => response.write(': beats\n\n'), 50);
    response.on('close', () => clearInterval(heart));
  });
  const { opened, close } = clients(3, { streaming: true, pollIntervalMs: 400 });
  await until(() => streams.length === 1 && greetings(opened).every((greeting) => greeting === 'v1'));
  serve(2);
  streams[0]!(2);
  await until(() => greetings(opened).every((greeting) => greeting === 'v2'), 2000);
  const before = polls();
  // Three intervals: what the stream says to one keeps all from polling.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  streams[0]!(3, createTestRuleset({ greeting: 'v3' }, 3));
  await until(() => greetings(opened).every((greeting) => greeting === 'v3'), 2000);
  expect([polls(), streams.length]).toEqual([before, 1]);
  await close();
  await expect.poll(() => readdir(folder())).toEqual([]);
});

test('keys, addresses and cache folders do not mix', RETRIED, async () => {
  const groups = [
    clients(2),
    clients(2, { apiKey: 'sdk-dev-other' }),
    clients(2, { cacheDir: join(scratch, 'cache') }),
  ];
  await until(() => groups.every(({ opened }) => greetings(opened).every((greeting) => greeting === 'v1')));
  expect(polls()).toBe(3);
  await Promise.all(groups.map(({ close }) => close()));
});

test('those who start at random within a time share from then on', RETRIED, async () => {
  const { opened, close } = clients(4, { startJitterMs: 200 });
  await until(() => greetings(opened).every((greeting) => greeting === 'v1'));
  expect(polls()).toBe(1);
  await close();
});

test('a cache on disk that the server confirms is handed to those who have none', RETRIED, async () => {
  const cacheDir = join(scratch, 'cache');
  const first = clients(1, { cacheDir });
  await until(() => first.opened[0]!.status() === 'ready');
  await until(() => polls() === 1);
  await first.close();
  const leader = clients(1, { cacheDir });
  await until(() => leader.opened[0]!.status() === 'ready');
  await rm(cacheDir, { recursive: true });
  const follower = clients(1, { cacheDir });
  await until(() => greetings(follower.opened)[0] === 'v1');
  expect(polls()).toBe(2);
  await Promise.all([leader.close(), follower.close()]);
});

test('a host whose name was swept away gives way to the next one', RETRIED, async () => {
  const first = clients(1, { pollIntervalMs: 200 });
  await until(() => polls() > 0);
  await rm(folder(), { recursive: true });
  const second = clients(2, { pollIntervalMs: 200 });
  await until(() => greetings(second.opened).every((greeting) => greeting === 'v1'));
  // Both hosts polled until the first one noticed.
  await until(() => polls() > 5);
  const [before, startedAt] = [polls(), performance.now()];
  await until(() => polls() > before + 5);
  expect(performance.now() - startedAt).toBeGreaterThan(700);
  serve(2);
  await until(() => [...greetings(first.opened), ...greetings(second.opened)].every((v) => v === 'v2'));
  await Promise.all([first.close(), second.close()]);
});

test('where others could look in, each fetches for itself and says so', async () => {
  await mkdir(folder(), { mode: 0o755 });
  const { opened, faults, close } = clients(2);
  await until(() => greetings(opened).every((greeting) => greeting === 'v1'));
  expect(polls()).toBe(2);
  expect(faults).toEqual(Array(2).fill({ code: 'SHARING', detail: `${folder()} is not private` }));
  await close();
});

test('a host that turns everybody away, as one that may open no more files does, is soon asked for nothing', async () => {
  const first = clients(1);
  await until(() => greetings(first.opened)[0] === 'v1');
  const [name] = await readdir(folder());
  await first.close();
  await expect.poll(() => readdir(folder())).toEqual([]);
  let visits = 0;
  const host = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => host.listen(join(folder(), name!), resolve));
  const before = polls();
  const { opened, close } = clients(1);
  expect(await opened[0]!.ready({ timeoutMs: 3000 })).toBe('ready');
  expect(polls()).toBe(before + 1);
  expect(visits).toBeLessThan(20);
  await close();
  await new Promise((resolve) => host.close(resolve));
});

test('one that stands still does not fill the memory of the one that polls', async () => {
  const filler = 'x'.repeat(30_000);
  const answer = (version: number) =>
    json({ data: createTestRuleset({ greeting: `v${version}`, filler }, version) }, `"v${version}"`);
  server.on(RULESET, answer(1));
  const { opened, close } = clients(1, { pollIntervalMs: 30, maxBodyBytes: 40_000 });
  await until(() => greetings(opened)[0] === 'v1');
  const [name] = await readdir(folder());
  const idle = connect(join(folder(), name!));
  let received = 0;
  for (let version = 2; version < 40; version++) {
    server.on(RULESET, answer(version));
    await until(() => greetings(opened)[0] === `v${version}`);
  }
  idle.on('data', (chunk) => {
    received += chunk.length;
  });
  await new Promise((resolve) => idle.on('close', resolve));
  expect(received).toBeLessThan(30 * filler.length);
  await close();
});

test('a thousand clients that share, opened and closed at any moment, leave no name and no open file', async () => {
  const files = async () => (await readdir('/proc/self/fd')).length;
  const before = await files();
  for (let i = 0; i < 1000; i++) {
    const { opened } = clients(1);
    for (let turns = 0; turns < i % 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    await opened[0]!.close({ timeoutMs: 0 });
  }
  await expect.poll(() => readdir(folder())).toEqual([]);
  // What is left of connections to the server closes by itself.
  await expect.poll(files, { timeout: 10_000 }).toBeLessThan(before + 20);
});

import type { ServerResponse } from 'node:http';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient, type MonitoredClient, type NodeClientOptions } from '@flagsvc/sdk-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClientOn } from '../src/client/node-client.ts';
import { hostClock } from '../src/platform/host-clock.ts';
import { json, type LoopbackServer, startLoopbackServer, until } from './loopback-server.ts';

const user = { user_key: 'u1' };
let server: LoopbackServer;
let client: MonitoredClient;
let skippedMs: number;

beforeEach(async () => {
  skippedMs = 0;
  server = await startLoopbackServer();
  server.on('/sdk/ruleset', json({ data: createTestRuleset({ greeting: 'hello' }, 7) }, 'W/"7-x"'));
  server.on('/sdk/events', (_, response) => response.writeHead(202).end('{}'));
});
afterEach(async () => {
  await client.close({ timeoutMs: 0 });
  await server.close();
});

/** A clock that the test can set forward; its timers run as usual. */
const clock = {
  ...hostClock,
  now: () => hostClock.now() + skippedMs,
  monotonic: () => hostClock.monotonic() + skippedMs,
};
const base = () => ({ apiKey: 'sdk-dev-1', baseUrl: server.baseUrl, logger: false }) as const;
const open = (options: Partial<NodeClientOptions> = {}) => createClientOn(clock, { ...base(), ...options });

test('stats count evaluations, and how many returned the default value', async () => {
  client = createNodeClient(base());
  expect(client.stats()).toMatchObject({
    status: 'initializing',
    rulesetVersion: null,
    rulesetAgeMs: null,
    lastSuccessAt: null,
    polls: 0,
    evaluations: 0,
  });
  client.flag('greeting', user, 'x');
  await client.ready();
  client.flag('greeting', user, 'x');
  client.flagDetails('greeting', user, 'x');
  // The wrong type, and an unknown flag.
  client.flag('greeting', user, 1 as never);
  client.flag('unknown', user, 'x');
  const stats = client.stats();
  expect(stats).toMatchObject({ status: 'ready', rulesetVersion: 7, evaluations: 5, defaultsServed: 3 });
  expect(stats).toMatchObject({ recorded: 5, delivered: 0, pending: 5, dropped: 0 });
  await client.flush();
  expect(client.stats()).toMatchObject({ delivered: 5, pending: 0 });
  expect(client.stats().lastFault).toMatchObject({ code: 'TYPE_MISMATCH', detail: 'greeting' });
});

test('stats count polls, and the age of the ruleset grows until the server confirms it', async () => {
  client = open({ pollIntervalMs: 100, retryBaseMs: 20 });
  await client.ready();
  skippedMs += 60_000;
  expect(client.stats().rulesetAgeMs).toBeGreaterThanOrEqual(60_000);
  expect(client.stats().lastSuccessAt).toBeLessThan(clock.now() - 50_000);
  // Unchanged polls confirm it too.
  server.on('/sdk/ruleset', (_, response) => response.writeHead(304).end());
  await until(() => client.stats().polls >= 3);
  expect(client.stats().rulesetAgeMs).toBeLessThan(50_000);
  expect(client.stats().failedPolls).toBe(0);
  server.on('/sdk/ruleset', (_, response) => response.writeHead(503).end());
  await until(() => client.stats().failedPolls >= 2);
  const { polls, status } = client.stats();
  expect(status).toBe('stale');
  skippedMs += 60_000;
  expect(client.stats().rulesetAgeMs).toBeGreaterThanOrEqual(60_000);
  expect(client.stats()).toMatchObject({ polls, lastFault: { code: 'HTTP_STATUS', detail: '503' } });
  // A broken ruleset does not count as a success.
  server.on('/sdk/ruleset', json({ data: { version: 8 } }));
  const { failedPolls } = client.stats();
  await until(() => client.stats().failedPolls > failedPolls);
  expect(client.stats().polls).toBe(polls);
});

test.each([
  ['whose code is loaded when needed', { streaming: true }],
  ['of a client that shares its poller', { streaming: true, shared: true }],
] as const)('a stream %s confirms the ruleset', async (_, options) => {
  const streams: ServerResponse[] = [];
  server.on('/sdk/stream', (_arrival, response) => {
    streams.push(response);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write(': \n\n');
  });
  client = open(options);
  await client.ready();
  await until(() => streams.length > 0);
  skippedMs += 30_000;
  const data = JSON.stringify({ version: 7, etag: 'W/"7-x"', server_time: '2026-11-20T10:00:00.000Z' });
  for (const stream of streams) stream.write(`event: heartbeat\ndata: ${data}\n\n`);
  await until(() => client.stats().rulesetAgeMs! < 20_000);
  expect(client.stats().polls).toBe(1);
});

test('reading the stats is cheap enough for every request', async () => {
  client = createNodeClient(base());
  await client.ready();
  const timed = (): number => {
    const startedAt = performance.now();
    for (let count = 0; count < 20_000; count++) client.stats();
    return (performance.now() - startedAt) / 20_000;
  };
  const fastest = Math.min(...Array.from({ length: 10 }, timed));
  // In milliseconds; other processes share the machine.
  expect(fastest).toBeLessThan(0.01);
});

test('closing keeps the counts', async () => {
  client = createNodeClient(base());
  await client.ready();
  client.flag('greeting', user, 'x');
  await client.close({ timeoutMs: 0 });
  expect(client.stats()).toMatchObject({
    status: 'closed',
    evaluations: 1,
    recorded: 1,
    dropped: 1,
    pending: 0,
  });
});

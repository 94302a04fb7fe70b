import { expect, test } from 'vitest';
import { createTestPorts, createTestRuleset, type ScriptedReply } from '../testing.ts';
import { createClient } from './create-client.ts';
import type { ClientStatus } from './listeners.ts';
import { createLocalSource } from './local-source.ts';

const RULESET = '/sdk/ruleset';
const good = (): ScriptedReply => ({
  headers: { etag: '"v1"' },
  body: { data: createTestRuleset({ greeting: 'hello' }) },
});
const start = (...script: ScriptedReply[]) => {
  const setup = createTestPorts();
  setup.server.script(RULESET, ...script);
  setup.server.script('/sdk/events', { status: 202 });
  return { ...setup, client: createClient(setup.config(), createLocalSource()).client };
};
const never: ScriptedReply = { delayMs: Number.POSITIVE_INFINITY };

test('emits each status once, in order', async () => {
  const { client, clock } = start(good(), { status: 500 }, { status: 500 }, { status: 401 }, { status: 304 });
  const seen: ClientStatus[] = [client.status()];
  client.on('status', (status) => seen.push(status));
  await clock.advance(200_000);
  client.close();
  await clock.settle();
  expect(seen).toEqual(['initializing', 'ready', 'stale', 'unauthorized', 'ready', 'closed']);
});

test.each([
  ['ready', good()],
  ['unauthorized', { status: 401 }],
] as const)('ready resolves to %s as soon as the client has that status', async (status, reply) => {
  const { client, clock } = start({ ...reply, delayMs: 700 });
  let settled: ClientStatus | undefined;
  client.ready().then((got) => {
    settled = got;
  });
  await clock.advance(699);
  expect(settled).toBeUndefined();
  await clock.advance(1);
  expect(settled).toBe(status);
  await expect(client.ready()).resolves.toBe(status);
});

test.each([
  [never, 1500],
  [{ status: 500 }, 1500],
  [{ error: new Error('refused') }, 1500],
])('ready resolves at its time limit if there are no answers (%#)', async (reply, limitMs) => {
  const { client, clock } = start(reply);
  let settled: ClientStatus | undefined;
  client.ready({ timeoutMs: limitMs }).then((got) => {
    settled = got;
  });
  await clock.advance(limitMs - 1);
  expect(settled).toBeUndefined();
  await clock.advance(1);
  expect(settled).toBe('initializing');
});

test('ready resolves after 5 s by default, and the client keeps trying', async () => {
  const { client, clock } = start(never, good());
  let settled: ClientStatus | undefined;
  client.ready().then((got) => {
    settled = got;
  });
  await clock.advance(5000);
  expect(settled).toBe('initializing');
  await clock.advance(10_000);
  expect(client.status()).toBe('ready');
});

test('ready resolves at once with saved answers, and on close', async () => {
  const setup = createTestPorts({ saved: { data: createTestRuleset({}), tag: null } });
  setup.server.script(RULESET, never);
  const cached = createClient(setup.config(), createLocalSource()).client;
  await expect(cached.ready()).resolves.toBe('cached');

  const { client } = start(never);
  const waiting = client.ready();
  client.close({ timeoutMs: 0 });
  await expect(waiting).resolves.toBe('closed');
  await expect(client.ready()).resolves.toBe('closed');
});

test('changes from cached to stale if the server does not answer', async () => {
  const setup = createTestPorts({ saved: { data: createTestRuleset({}), tag: null } });
  setup.server.script(RULESET, { status: 503 });
  const client = createClient(setup.config(), createLocalSource()).client;
  await setup.clock.advance(10);
  expect(client.status()).toBe('stale');
});

test('a second close returns the same promise, and a closed client still answers', async () => {
  const { client, clock } = start(good());
  await clock.advance(0);
  const first = client.close();
  expect(client.close()).toBe(first);
  await clock.advance(10);
  await first;
  expect(client.status()).toBe('closed');
  expect(client.flag('greeting', { user_key: 'u' }, '')).toBe('hello');
  await client.flush();
  await clock.advance(60_000);
  expect(clock.timers()).toBe(0);
});

test('close ends within its time limit although the server hangs, and counts the lost events', async () => {
  const { client, clock, server } = start(good());
  server.script('/sdk/events', never);
  await clock.advance(0);
  client.flag('greeting', { user_key: 'u' }, '');
  let closed = false;
  client.close({ timeoutMs: 800 }).then(() => {
    closed = true;
  });
  await clock.advance(799);
  expect(closed).toBe(false);
  await clock.advance(1);
  expect(closed).toBe(true);
  expect(client.stats()).toMatchObject({ recorded: 1, delivered: 0, pending: 0, dropped: 1 });
});

test('a listener may close the client', async () => {
  const { client, clock, server } = start(good(), good());
  client.on('change', () => void client.close());
  await clock.advance(200_000);
  expect(client.status()).toBe('closed');
  expect(server.requests(RULESET)).toHaveLength(1);
});

test('a status listener that calls close again gets the same promise, and the events that it tracks are sent', async () => {
  const { config, clock, server } = createTestPorts();
  server.script('/sdk/events', { status: 202 });
  let disconnected = 0;
  const client = createClient(
    config({}, { connect: () => () => disconnected++ }),
    createLocalSource(),
  ).client;
  let inner: Promise<void> | undefined;
  client.on('status', () => {
    client.track('left', { user_key: 'u' });
    inner = client.close();
  });
  const outer = client.close();
  await clock.settle();
  expect(inner).toBe(outer);
  expect([disconnected, client.stats().delivered]).toEqual([1, 1]);
});

test('a closing client neither fetches nor receives payloads while its last events are in flight', async () => {
  const { client, clock, server, handles } = start(good());
  server.script('/sdk/events', { status: 202, delayMs: 1500 });
  await clock.advance(0);
  client.track('left', { user_key: 'u' });
  client.close();
  await clock.advance(100);
  await expect(handles().poll()).resolves.toBeUndefined();
  const payload = { data: createTestRuleset({ greeting: 'late' }), tag: '"v2"' };
  expect(handles().receive(payload)).toBe(false);
  await clock.advance(60_000);
  expect(server.requests(RULESET)).toHaveLength(1);
  expect(client.flag('greeting', { user_key: 'u' }, '')).toBe('hello');
});

test('off and the returned function remove a listener', async () => {
  const { client, clock } = start(good(), { status: 500 });
  const seen: string[] = [];
  const one = (status: ClientStatus) => void seen.push(`one ${status}`);
  client.on('status', one);
  const stop = client.on('status', (status) => seen.push(`two ${status}`));
  await clock.advance(0);
  client.off('status', one);
  stop();
  await clock.advance(60_000);
  expect(seen).toEqual(['one ready', 'two ready']);
});

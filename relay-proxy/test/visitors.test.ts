/** What strangers with the public key of a page, or without a valid key, can do to a relay with little memory. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { generateKey } from '../../reference-server/src/publishing/key-format.ts';
import { ask, type RelayProcess, startRelay } from './relay-process.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

const MIB = 2 ** 20;
const HEAP = ['--max-old-space-size=192'];
const TICKS_PER_SECOND = 100;

// Each test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let upstream: UpstreamServer;
let relay: RelayProcess;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
const sockets: Socket[] = [];
beforeAll(async () => {
  upstream = await startUpstream(2);
  keys = await upstream.createKeys();
  const { id } = await upstream.admin.flags.getByKey('flag-0');
  // Twenty patterns on one attribute, each expensive for a text that nearly matches.
  const targeting_rules = Array.from({ length: 20 }, (_, index) => ({
    priority: index + 1,
    name: `pattern ${index}`,
    conditions: [
      { attribute: 'agent', operator: 'matches_regex' as const, value: `(a{1,12}){1,12}b${index}` },
    ],
    variation: 'on',
  }));
  await upstream.admin.flags.update(id, { client_side: true, targeting_rules });
  await upstream.admin.flags.toggle(id, true);
  relay = await startRelay({ FLAGSVC_RELAY_UPSTREAM_URL: upstream.url, FLAGSVC_RELAY_KEYS: keys.relay }, [
    ...HEAP,
    '--conditions=@flagsvc/source',
    new URL('../src/process/main.ts', import.meta.url).pathname,
  ]);
  await relay.ready();
  for (const key of [keys.server, keys.client]) expect((await rulesetOf(key)).status).toBe(200);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await relay?.close();
  await upstream?.close();
});

const rulesetOf = (key: string) => ask(`${relay.url()}/api/v1/sdk/ruleset`, key);
const batch = () => {
  const event = { type: 'track', id: randomUUID(), timestamp: new Date().toISOString(), user_key: 'u' };
  return { batch_id: randomUUID(), events: [{ ...event, event_name: 'seen' }] };
};
const sendEvents = (key: string) => ask(`${relay.url()}/api/v1/sdk/events`, key, { body: batch() });
const post = (path: string, type: string, body: Buffer) =>
  fetch(`${relay.url()}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': keys.client, 'content-type': type },
    body: new Uint8Array(body),
  }).then(({ status }) => status);
/** Processor time of the relay so far, in milliseconds. */
const processorMs = async (): Promise<number> => {
  const fields = (await readFile(`/proc/${relay.pid()}/stat`, 'utf8')).split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
};
const residentBytes = async (): Promise<number> => {
  const [, pages] = (await readFile(`/proc/${relay.pid()}/statm`, 'utf8')).split(' ');
  return Number(pages) * 4_096;
};

test('bombs of MessagePack cost little time and memory, and no route parses a type that it does not take', async () => {
  const bombs = [
    'dd02000000'.repeat(40),
    'dcffff'.repeat(20_000),
    'dfffffffffa161'.repeat(40),
    'dbffffffff61',
  ];
  await post('/api/v1/sdk/events', 'application/msgpack', Buffer.from('dd02000000'.repeat(8), 'hex'));
  const before = await processorMs();
  const statuses: number[] = [];
  for (const hex of bombs) {
    for (const path of ['/api/v1/sdk/events', '/api/v1/evaluate', '/ofrep/v1/evaluate/flags'])
      statuses.push(await post(path, 'application/msgpack', Buffer.from(hex, 'hex')));
  }
  expect(statuses).toEqual(bombs.flatMap(() => [400, 415, 415]));
  expect(((await processorMs()) - before) / statuses.length).toBeLessThan(50);
  expect((await rulesetOf(keys.server)).status).toBe(200);
});

test('patterns that together cost too much are refused, and health answers meanwhile', async () => {
  const body = { flags: ['*'], context: { user_key: 'u', attributes: { agent: 'a'.repeat(60_000) } } };
  const before = performance.now();
  const [evaluation, live] = await Promise.all([
    ask(`${relay.url()}/api/v1/evaluate`, keys.client, { body }),
    ask(`${relay.url()}/health/live`, ''),
  ]);
  expect([evaluation.status, live.status]).toEqual([422, 200]);
  expect(performance.now() - before).toBeLessThan(5_000);
  const honest = { ...body, context: { user_key: 'u', attributes: { agent: 'aaab3' } } };
  expect((await ask(`${relay.url()}/api/v1/evaluate`, keys.client, { body: honest })).status).toBe(200);
});

test('one visitor cannot take the streams of a page from all others, nor those of back ends', async () => {
  const open = (key: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(relay.url()).port), '127.0.0.1');
      sockets.push(socket.on('error', reject));
      socket.write(`GET /api/v1/sdk/stream HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`);
      socket.once('data', (chunk) => resolve(Number(chunk.subarray(9, 12))));
    });
  const statuses: number[] = [];
  for (let count = 0; count < 70; count++) statuses.push(await open(keys.client));
  expect(statuses.filter((status) => status === 200)).toHaveLength(60);
  expect(statuses.slice(60)).toEqual(Array(10).fill(429));
  for (let count = 0; count < 120; count++) expect(await open(keys.server)).toBe(200);
});

test('one visitor cannot send events without end; back ends can', async () => {
  // Without a limit of the key's own, it is 1,000 a minute, which a busy machine cannot send.
  const { key } = await upstream.createKey('client', { rate_limits: { events: 20 } });
  const answers = await Promise.all(Array.from({ length: 40 }, () => sendEvents(key)));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  expect((await sendEvents(keys.client)).headers.get('x-ratelimit-limit')).toBe('1000');
  for (let count = 0; count < 20; count++) {
    const { status, headers } = await sendEvents(keys.server);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([202, null]);
  }
});

test('1,500 unfinished bodies with the key of a page take little memory and keep nobody out', async () => {
  const before = await residentBytes();
  for (let count = 0; count < 1_500; count++) {
    const socket = connect(Number(new URL(relay.url()).port), '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    const head = `POST /api/v1/sdk/events HTTP/1.1\r\nHost: a\r\nX-API-Key: ${keys.client}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${MIB}\r\n\r\n`);
    socket.write(Buffer.alloc(MIB / 16, ' '));
  }
  for (let round = 0; round < 20; round++) {
    expect((await rulesetOf(keys.server)).status).toBe(200);
    expect((await sendEvents(keys.server)).status).toBe(202);
  }
  expect((await residentBytes()) - before).toBeLessThan(150 * MIB);
});

test('10,000 guessed keys keep no valid key out, new ones included', async () => {
  const guess = (key: string) => rulesetOf(key).then(({ status }) => status);
  const statuses = new Map<number, number>();
  for (let round = 0; round < 100; round++) {
    const seen = await Promise.all(Array.from({ length: 100 }, () => guess(generateKey('production'))));
    for (const status of seen) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (round === 50) expect(await guess(keys.server)).toBe(200);
  }
  expect([...statuses.keys()].sort()).toEqual([401, 429]);
  // Sixty a minute.
  expect(statuses.get(401)).toBeLessThan(1_000);
  expect(await guess(keys.client)).toBe(200);
  expect(await guess('sdk-prod-nonsense')).toBe(401);
});

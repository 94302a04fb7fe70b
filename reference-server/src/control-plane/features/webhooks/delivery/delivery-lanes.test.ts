import { afterEach, beforeEach, expect, test } from 'vitest';
import { type NameServer, startNameServer } from '../../../../../test/name-server.ts';
import { type Receiver, startReceiver } from '../../../../../test/receiver.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';
import { createOutbound } from '../../../../outbound/outbound.ts';
import { createNameLookup } from '../../../../outbound/resolve-names.ts';

/** The maximum number of webhooks outside projects. */
const WEBHOOKS = 50;
const MINUTE_MS = 60_000;

let server: TestServer;
let receiver: Receiver;
let names: NameServer;
/** DNS names that the name server resolves. */
let known: Set<string>;

beforeEach(async () => {
  receiver = await startReceiver();
  known = new Set(['healthy.example']);
  names = await startNameServer((name, type) =>
    known.has(name) ? { addresses: type === 'A' ? ['127.0.0.1'] : [] } : undefined,
  );
  server = await startServer({
    outbound: createOutbound({
      allowHttp: true,
      ranges: ['127.0.0.1'],
      ports: [receiver.port],
      connectTimeoutMs: 1_100,
      resolve: createNameLookup({ servers: [names.address], searchFile: '/nowhere' }),
    }),
    random: () => 0.5,
  });
});
afterEach(async () => {
  await server.close();
  await receiver.close();
  names.close();
});

const createWebhook = (host: string) =>
  server.as('admin').webhooks.create({
    url: `http://${host}:${receiver.port}/${host}`,
    events: ['flag.created'],
  });
const createFlag = (key: string) => server.as('admin').flags.create(booleanFlag(key));
const attempts = () => server.db.selectFrom('webhook_attempts').selectAll().orderBy('id').execute();
/** Keys of the flags in received messages, in order. */
const told = () => receiver.received.map(({ body }) => body.data.flag.key);

async function createSilent(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await createWebhook(`silent-${index}.example`)).id);
  return ids;
}

test('a webhook gets its messages at once even if the DNS names of many other webhooks time out', async () => {
  await createSilent(WEBHOOKS - 1);
  await createWebhook('healthy.example');
  await server.app.runBackground();
  await createFlag('first');
  const sending = server.app.runBackground();
  await expect.poll(told).toEqual(['first']);
  expect((await attempts()).filter(({ succeeded }) => succeeded === 0)).toEqual([]);
  await sending;
  const failed = (await attempts()).filter(({ succeeded }) => succeeded === 0);
  expect(failed.map(({ fault, attempt }) => [fault, attempt])).toEqual(
    Array.from({ length: WEBHOOKS - 1 }, () => ['dns_failed', 1]),
  );
});

test('a webhook gets its messages at once, even when slow webhooks with a backlog outnumber the slots for slow webhooks', async () => {
  const silent = await createSilent(30);
  await createWebhook('healthy.example');
  await server.app.runBackground();
  for (const key of ['first', 'second']) await createFlag(key);
  await server.app.runBackground();
  expect(told()).toEqual(['first', 'second']);
  server.advance(MINUTE_MS);
  const before = (await attempts()).length;
  // The slow webhooks start before there is a message for the healthy one.
  const slow = server.app.runBackground();
  await expect.poll(() => names.queries.length).toBeGreaterThan(0);
  await createFlag('third');
  const sending = server.app.runBackground();
  await expect.poll(told).toEqual(['first', 'second', 'third']);
  const meanwhile = (await attempts()).slice(before);
  expect(meanwhile.filter(({ succeeded }) => succeeded === 0).length).toBeLessThan(silent.length);
  await Promise.all([slow, sending]);
  // No slow webhook waits until the backlog of another is empty.
  const order = (await attempts()).filter(({ succeeded }) => succeeded === 0).slice(2 * silent.length);
  // Attempts are recorded when they end, and the 19 that were made beside the last one may have ended before it.
  const firstAttempts = order.slice(0, silent.length + 19);
  expect(new Set(firstAttempts.map(({ webhook_id }) => webhook_id)).size).toBe(silent.length);
});

test('a webhook gets its messages once its DNS name resolves again', async () => {
  await createSilent(25);
  await server.app.runBackground();
  await createFlag('first');
  await server.app.runBackground();
  expect(told()).toEqual([]);
  for (let index = 0; index < 25; index++) known.add(`silent-${index}.example`);
  server.advance(MINUTE_MS);
  await server.app.runBackground();
  expect(told()).toHaveLength(25);
});

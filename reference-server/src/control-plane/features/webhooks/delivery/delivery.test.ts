import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeOf } from '../../../../../test/api-call.ts';
import { startReceiver } from '../../../../../test/receiver.ts';
import { isSignedWith, startWebhookServer, type WebhookServer } from '../../../../../test/webhook-server.ts';

const HOUR_MS = 3_600_000;

let hooks: WebhookServer;
beforeEach(async () => {
  hooks = await startWebhookServer();
});
afterEach(() => hooks.close());

/** The simulated time, read from the latest attempt. */
async function readClock(): Promise<number> {
  const { created_at } = await hooks.server.db
    .selectFrom('webhook_attempts')
    .select('created_at')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return Date.parse(created_at);
}

test('a failed message is sent ten times over several days, each time with a new signature but the same id', async () => {
  hooks.receiver.answer({ status: 500, body: 'x'.repeat(5_000) });
  const { id, secret } = await hooks.createWebhook();
  await hooks.createFlag('x');
  const waits: number[] = [];
  for (let count = 1; count <= 10; count++) {
    await hooks.run();
    expect(hooks.receiver.received).toHaveLength(count);
    const [message] = await hooks.readMessages();
    if (count === 10) {
      expect(message).toMatchObject({ status: 'exhausted', attempts: 10, next_attempt_at: null });
      break;
    }
    const wait = Date.parse(message!.next_attempt_at!) - (await readClock());
    waits.push(Math.round(wait / 1000));
    hooks.server.advance(wait - 1_000);
    await hooks.run();
    expect(hooks.receiver.received, `${count}: too early`).toHaveLength(count);
    hooks.server.advance(1_500);
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(new Set(hooks.receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1);
  expect(new Set(hooks.receiver.received.map((one) => one.headers['webhook-timestamp'])).size).toBe(10);
  for (const one of hooks.receiver.received) expect(isSignedWith(secret!, one)).toBe(true);
  await hooks.login();
  const { data, meta } = (await hooks.api.webhooks.deliveries(id, { per_page: 4 }).answer).body;
  expect(meta).toMatchObject({ total: 10, next_cursor: data[3]!.id });
  expect(data[0]).toMatchObject({ attempt: 10, status: 'failed', status_code: 500, type: 'flag.created' });
  expect(data[0]!.response_excerpt).toHaveLength(1_024);
  const older = await hooks.api.webhooks.deliveries(id, { per_page: 200, cursor: meta.next_cursor! });
  expect(older.map(({ attempt }) => attempt)).toEqual([6, 5, 4, 3, 2, 1]);
});

test('Retry-After, in both of its forms, delays the next attempt if it is longer than the scheduled delay', async () => {
  await hooks.createWebhook();
  hooks.receiver.answer({ status: 429, headers: { 'retry-after': '120' } });
  await hooks.createFlag('x');
  await hooks.run();
  const dueIn = async () =>
    Date.parse((await hooks.readMessages())[0]!.next_attempt_at!) - (await readClock());
  expect(await dueIn()).toBe(120_000);
  hooks.server.advance(121_000);
  hooks.receiver.answer({
    status: 503,
    headers: { 'retry-after': new Date((await readClock()) + HOUR_MS).toUTCString() },
  });
  await hooks.run();
  expect(Math.round((await dueIn()) / HOUR_MS)).toBe(1);
  hooks.server.advance(HOUR_MS);
  hooks.receiver.answer({ status: 429, headers: { 'retry-after': '5' } });
  await hooks.run();
  expect(await dueIn()).toBe(1_800_000);
  hooks.server.advance(HOUR_MS);
  hooks.receiver.answer({ status: 500, headers: { 'retry-after': '99999999' } });
  await hooks.run();
  expect(await dueIn()).toBe(2 * HOUR_MS);
});

test('redirects are not followed, and only 2xx counts as success', async () => {
  await hooks.createWebhook();
  hooks.receiver.answer({ status: 302, headers: { location: hooks.receiver.url } }, { status: 299 });
  await hooks.createFlag('x');
  await hooks.run();
  expect(hooks.receiver.received).toHaveLength(1);
  hooks.server.advance(10_000);
  await hooks.run();
  expect((await hooks.readMessages())[0]).toMatchObject({ status: 'succeeded', attempts: 2 });
});

test('an answer of 410 disables the webhook and notifies admins and other webhooks', async () => {
  const { id } = await hooks.createWebhook();
  await hooks.createWebhook({ events: ['webhook.disabled'] });
  hooks.receiver.answer({ status: 410 }, { status: 204 });
  await hooks.createFlag('x');
  await hooks.createFlag('y');
  await hooks.run();
  await hooks.run();
  expect(await hooks.api.webhooks.get(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  expect((await hooks.readMessages()).map((row) => [row.type, row.status])).toEqual([
    ['flag.created', 'failed'],
    ['flag.created', 'cancelled'],
    ['webhook.disabled', 'succeeded'],
  ]);
  expect(hooks.mails).toEqual([
    expect.objectContaining({ to: 'admin@example.com', subject: expect.stringMatching(/disabled/) }),
  ]);
  await hooks.createFlag('z');
  await hooks.run();
  expect(hooks.receiver.received).toHaveLength(2);
  const allTime = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
  expect(await codeOf(hooks.api.webhooks.replay(id, allTime))).toBe('WEBHOOK_DISABLED');

  expect(await hooks.api.webhooks.enable(id)).toMatchObject({ status: 'enabled', disabled_reason: null });
  const replay = await hooks.api.webhooks.replay(id, { ...allTime, status: 'cancelled' }).answer;
  expect([replay.status, replay.body.data]).toEqual([202, { replayed: 1 }]);
  await hooks.run();
  expect((await hooks.readMessages())[1]).toMatchObject({ status: 'succeeded' });
});

test('five days without a success disable a webhook; a single success restarts the count', async () => {
  const { id } = await hooks.createWebhook();
  hooks.receiver.answer({ status: 500 });
  const day = async () => {
    hooks.server.advance(24 * HOUR_MS);
    await hooks.login();
    await hooks.createFlag(`f-${await readClock().catch(() => 0)}`);
    await hooks.run();
  };
  for (let count = 0; count < 4; count++) await day();
  hooks.receiver.answer({ status: 200 }, { status: 500 });
  await day();
  for (let count = 0; count < 4; count++) await day();
  expect((await hooks.api.webhooks.get(id)).status).toBe('enabled');
  await day();
  await day();
  expect(await hooks.api.webhooks.get(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
});

test('a body above 20 KiB is sent in its thin form', async () => {
  await hooks.createWebhook();
  const value = 'x'.repeat(15_000);
  await hooks.createFlag('big', {
    flag_type: 'string',
    default_variation: 'a',
    variations: [
      { key: 'a', name: 'A', value },
      { key: 'b', name: 'B', value: `${value}b` },
    ],
  });
  await hooks.run();
  expect(hooks.receiver.received[0]!.body.data).toMatchObject({ thin: true, flag: { key: 'big' } });
  expect(hooks.receiver.received[0]!.text.length).toBeLessThan(1_000);
});

test('each webhook gets its messages in order, one at a time, independently of other webhooks', async () => {
  const slow = await startReceiver();
  slow.delay(30);
  await hooks.close();
  hooks = await startWebhookServer([slow]);
  await hooks.createWebhook({ url: slow.url });
  await hooks.createWebhook();
  for (let index = 0; index < 8; index++) await hooks.createFlag(`flag-${index}`);
  const done = hooks.run();
  await expect.poll(() => hooks.receiver.received.length, { timeout: 20_000 }).toBe(8);
  expect(slow.received.length).toBeLessThan(8);
  await done;
  for (const { received } of [slow, hooks.receiver]) {
    expect(received.map((one) => one.body.data.flag.key)).toEqual(
      Array.from({ length: 8 }, (_, index) => `flag-${index}`),
    );
  }
  await slow.close();
});

test('a message can be redelivered under its own id, even after a success', async () => {
  const { id } = await hooks.createWebhook();
  await hooks.createFlag('x');
  await hooks.run();
  const messageId = hooks.receiver.received[0]!.headers['webhook-id']!;
  const before = await hooks.server.as('editor').webhooks.getMessage(messageId);
  expect(before).toMatchObject({ webhook_id: id, status: 'succeeded', attempts: 1 });
  expect(before.body).toBe(hooks.receiver.received[0]!.text);
  hooks.receiver.answer({ status: 500 });
  await hooks.api.webhooks.redeliver(messageId);
  await hooks.run();
  expect(hooks.receiver.received.map((one) => one.headers['webhook-id'])).toEqual([messageId, messageId]);
  // A manual redelivery is not retried.
  const after = await hooks.api.webhooks.getMessage(messageId);
  expect(after).toMatchObject({ status: 'failed', attempts: 2, next_attempt_at: null });
  expect(after.deliveries.map(({ attempt }) => attempt)).toEqual([2, 1]);
});

test('each outbox event is processed once, even without webhooks, and deleted later', async () => {
  await hooks.createFlag('before');
  await hooks.run();
  const undelivered = () =>
    hooks.server.db.selectFrom('outbox').selectAll().where('delivered_at', 'is', null).execute();
  expect(await undelivered()).toEqual([]);
  await hooks.createWebhook();
  await hooks.createFlag('after');
  await Promise.all([hooks.run(), hooks.run()]);
  await hooks.run();
  expect(hooks.receiver.received.map((one) => one.body.data.flag.key)).toEqual(['after']);
  hooks.server.advance(31 * 24 * HOUR_MS);
  await hooks.run();
  expect(await hooks.server.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
  expect(await hooks.server.db.selectFrom('webhook_attempts').selectAll().execute()).toEqual([]);
});

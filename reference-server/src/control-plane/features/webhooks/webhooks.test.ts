import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';
import { booleanFlag, enter, type FlagBody, startServer, type TestServer } from '../../../../test/server.ts';
import { createOutbound } from '../../../outbound/outbound.ts';

let server: TestServer;
let api: Api;
let receiver: Receiver;
let mails: { to: string; subject: string }[];
const HOUR_MS = 3_600_000;

beforeEach(async () => {
  receiver = await startReceiver();
  mails = [];
  server = await startServer({
    outbound: createOutbound({
      allowHttp: true,
      ranges: ['127.0.0.1'],
      ports: [receiver.port],
      totalTimeoutMs: 500,
    }),
    // The reference library reads the system clock.
    random: () => 0.5,
    sendMail: async (mail) => void mails.push(mail),
  });
  api = server.as('admin');
});
afterEach(async () => {
  await server.close();
  await receiver.close();
});

const run = () => server.app.runBackground();

async function createWebhook(more: Partial<Body<'POST /webhooks'>> = {}) {
  const webhook = await api.webhooks.create({ url: receiver.url, events: ['flag.*'], ...more });
  // Earlier events have no receivers.
  await run();
  return webhook;
}

const createFlag = async (key: string, more: Partial<FlagBody> = {}) =>
  (await api.flags.create(booleanFlag(key, more))).id;

/** Logs in anew: the first session ends after a day. */
async function login(): Promise<void> {
  const { accessToken } = await enter(server, 'admin@example.com');
  api = server.withToken(accessToken);
}

test('sends a signed message that the reference library accepts, and returns the secret once', async () => {
  const { id, secret, ...shown } = await createWebhook({ headers: { 'X-Team': 'checkout' } });
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret!.slice(6), 'base64')).toHaveLength(32);
  const read = await api.webhooks.get(id).answer;
  expect(read.body.data).toEqual({ id, ...shown });
  expect(read.headers.etag).toBe('"1"');
  expect(shown).toMatchObject({
    header_names: ['X-Team'],
    payload: 'full',
    signing: 'hmac',
    status: 'enabled',
  });

  const flagId = await createFlag('dark-mode');
  await run();
  await api.flags.toggle(flagId, true);
  await run();
  const { revision } = await api.flags.get(flagId);
  const [created, toggled] = receiver.received;
  expect(receiver.received).toHaveLength(2);
  expect(created!.body.type).toBe('flag.created');
  expect(toggled!.headers).toMatchObject({
    'content-type': 'application/json',
    'x-team': 'checkout',
    'webhook-id': expect.stringMatching(/^msg_/),
  });
  expect(toggled!.body).toEqual({
    type: 'flag.toggled',
    timestamp: expect.stringMatching(/^2026-11-20T/),
    data: {
      organization_id: server.organizationId,
      project: { id: server.projectId, key: 'default' },
      environment: { id: server.environments.production, key: 'production', type: 'production' },
      resource: { type: 'flag', id: flagId, key: 'dark-mode' },
      flag: { id: flagId, key: 'dark-mode', enabled: true, revision },
      changes: { enabled: { from: false, to: true } },
      actor: { id: expect.stringMatching(/^usr_/), kind: 'user' },
      ruleset_version: 3,
      audit_id: expect.stringMatching(/^evt_/),
    },
  });
  expect(verifies(secret!, toggled!)).toBe(true);
  expect(verifies(secret!, { ...toggled!, text: toggled!.text.replace('true', 'false') })).toBe(false);
});

/** Verifies with the reference library, at the time of the message. */
function verifies(
  secret: string,
  { headers, text }: { headers: Record<string, string>; text: string },
): boolean {
  const real = Date.now;
  Date.now = () => Number(headers['webhook-timestamp']) * 1000;
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  } finally {
    Date.now = real;
  }
}

test('signs with an Ed25519 key that anyone can check', async () => {
  const { id, public_key, ...rest } = await createWebhook({ signing: 'ed25519' });
  expect(rest).not.toHaveProperty('secret');
  expect(await api.webhooks.publicKey(id)).toEqual({ public_key });
  await createFlag('x');
  await run();
  const { headers, text } = receiver.received[0]!;
  const x = Buffer.from(public_key!.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const [version, signature] = headers['webhook-signature']!.split(',');
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
  expect(version).toBe('v1a');
  expect(verify(null, content, key, Buffer.from(signature!, 'base64'))).toBe(true);
});

test('reads public keys at most once a second, and at once after its own change', async () => {
  const { id } = await createWebhook({ signing: 'ed25519' });
  const key = async () => {
    const { payload } = await server.app.inject('/.well-known/flagsvc-webhook-keys.json');
    return JSON.parse(payload).keys[0].x;
  };
  const own = await key();
  // A write as by another process.
  const public_key = `whpk_${Buffer.alloc(32, 7).toString('base64')}`;
  await server.db.updateTable('webhooks').set({ public_key }).where('id', '=', id).execute();
  expect(await key()).toBe(own);
  server.advance(1_000);
  expect(await key()).toBe(Buffer.alloc(32, 7).toString('base64url'));
  await api.webhooks.rotateSecret(id);
  expect([own, Buffer.alloc(32, 7).toString('base64url')]).not.toContain(await key());
});

test('publishes the new key after a rotation and signs with both meanwhile', async () => {
  await createWebhook();
  const { id } = await createWebhook({ signing: 'ed25519' });
  const keys = async () => {
    const { statusCode, headers, payload } = await server.app.inject(
      '/.well-known/flagsvc-webhook-keys.json',
    );
    expect([statusCode, headers['cache-control']]).toEqual([200, 'public, max-age=300']);
    return JSON.parse(payload).keys;
  };
  const before = await keys();
  expect(before).toEqual([
    {
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      kid: id,
      x: expect.stringMatching(/^[\w-]{43}$/),
    },
  ]);
  await api.webhooks.rotateSecret(id);
  const after = await keys();
  expect(after).toHaveLength(1);
  expect(after[0].x).not.toBe(before[0].x);
  await createFlag('x');
  await run();
  const message = receiver.received.find(({ headers }) => headers['webhook-signature']!.startsWith('v1a,'))!;
  const { headers, text } = message;
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`);
  const checkedBy = headers['webhook-signature']!.split(' ').map((one) => {
    const signature = Buffer.from(one.split(',')[1]!, 'base64');
    return [...before, ...after].map((jwk) =>
      verify(null, content, createPublicKey({ key: jwk, format: 'jwk' }), signature),
    );
  });
  expect(checkedBy).toEqual([
    [false, true],
    [true, false],
  ]);
});

test('tries ten times over days, with a new signature and the same id', async () => {
  receiver.answer({ status: 500, body: 'x'.repeat(5_000) });
  const { id, secret } = await createWebhook();
  await createFlag('x');
  const waits: number[] = [];
  for (let count = 1; count <= 10; count++) {
    await run();
    expect(receiver.received).toHaveLength(count);
    const { rows } = await messages();
    const [message] = rows;
    if (count === 10) {
      expect(message).toMatchObject({ status: 'exhausted', attempts: 10, next_attempt_at: null });
      break;
    }
    const wait = Date.parse(message!.next_attempt_at!) - (await clock());
    waits.push(Math.round(wait / 1000));
    server.advance(wait - 1_000);
    await run();
    expect(receiver.received, `${count}: too early`).toHaveLength(count);
    server.advance(1_500);
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1);
  expect(new Set(receiver.received.map((one) => one.headers['webhook-timestamp'])).size).toBe(10);
  for (const one of receiver.received) expect(verifies(secret!, one)).toBe(true);
  await login();
  const { data, meta } = (await api.webhooks.deliveries(id, { per_page: 4 }).answer).body;
  expect(meta).toMatchObject({ total: 10, next_cursor: data[3]!.id });
  expect(data[0]).toMatchObject({ attempt: 10, status: 'failed', status_code: 500, type: 'flag.created' });
  expect(data[0]!.response_excerpt).toHaveLength(1_024);
  const older = await api.webhooks.deliveries(id, { per_page: 200, cursor: meta.next_cursor! });
  expect(older.map(({ attempt }) => attempt)).toEqual([6, 5, 4, 3, 2, 1]);
});

const messages = async () => ({
  rows: await server.db.selectFrom('webhook_messages').selectAll().orderBy('id').execute(),
});
/** The simulated time, read from the latest attempt. */
async function clock(): Promise<number> {
  const { created_at } = await server.db
    .selectFrom('webhook_attempts')
    .select('created_at')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return Date.parse(created_at);
}

test('honors Retry-After in both forms when it is longer than the schedule', async () => {
  await createWebhook();
  receiver.answer({ status: 429, headers: { 'retry-after': '120' } });
  await createFlag('x');
  await run();
  const dueIn = async () => Date.parse((await messages()).rows[0]!.next_attempt_at!) - (await clock());
  expect(await dueIn()).toBe(120_000);
  server.advance(121_000);
  receiver.answer({
    status: 503,
    headers: { 'retry-after': new Date((await clock()) + HOUR_MS).toUTCString() },
  });
  await run();
  expect(Math.round((await dueIn()) / HOUR_MS)).toBe(1);
  server.advance(HOUR_MS);
  receiver.answer({ status: 429, headers: { 'retry-after': '5' } });
  await run();
  expect(await dueIn()).toBe(1_800_000);
  server.advance(HOUR_MS);
  receiver.answer({ status: 500, headers: { 'retry-after': '99999999' } });
  await run();
  expect(await dueIn()).toBe(2 * HOUR_MS);
});

test('does not follow redirects, and only 2xx counts as success', async () => {
  await createWebhook();
  receiver.answer({ status: 302, headers: { location: receiver.url } }, { status: 299 });
  await createFlag('x');
  await run();
  expect(receiver.received).toHaveLength(1);
  server.advance(10_000);
  await run();
  expect((await messages()).rows[0]).toMatchObject({ status: 'succeeded', attempts: 2 });
});

test('disables a webhook after a 410, notifies admins and other webhooks, and sends no more', async () => {
  const { id } = await createWebhook();
  await createWebhook({ events: ['webhook.disabled'] });
  receiver.answer({ status: 410 }, { status: 204 });
  await createFlag('x');
  await createFlag('y');
  await run();
  await run();
  expect(await api.webhooks.get(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  expect((await messages()).rows.map((row) => [row.type, row.status])).toEqual([
    ['flag.created', 'failed'],
    ['flag.created', 'cancelled'],
    ['webhook.disabled', 'succeeded'],
  ]);
  expect(mails).toEqual([
    expect.objectContaining({ to: 'admin@example.com', subject: expect.stringMatching(/disabled/) }),
  ]);
  await createFlag('z');
  await run();
  expect(receiver.received).toHaveLength(2);
  const allTime = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
  expect(await codeOf(api.webhooks.replay(id, allTime))).toBe('WEBHOOK_DISABLED');

  expect(await api.webhooks.enable(id)).toMatchObject({ status: 'enabled', disabled_reason: null });
  const replay = await api.webhooks.replay(id, { ...allTime, status: 'cancelled' }).answer;
  expect([replay.status, replay.body.data]).toEqual([202, { replayed: 1 }]);
  await run();
  expect((await messages()).rows[1]).toMatchObject({ status: 'succeeded' });
});

test('disables a webhook after five days without a success, but not one that sometimes succeeds', async () => {
  const { id } = await createWebhook();
  receiver.answer({ status: 500 });
  const day = async () => {
    server.advance(24 * HOUR_MS);
    await login();
    await createFlag(`f-${await clock().catch(() => 0)}`);
    await run();
  };
  for (let count = 0; count < 4; count++) await day();
  receiver.answer({ status: 200 }, { status: 500 });
  await day();
  for (let count = 0; count < 4; count++) await day();
  expect((await api.webhooks.get(id)).status).toBe('enabled');
  await day();
  await day();
  expect(await api.webhooks.get(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
});

test('signs with both secrets during a rotation, then with the new one', async () => {
  const { id, secret: old } = await createWebhook();
  const { secret } = await api.webhooks.rotateSecret(id, { overlap_hours: 2 });
  expect(secret).not.toBe(old);
  await createFlag('x');
  await run();
  expect(receiver.received[0]!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
  expect([old!, secret!].map((one) => verifies(one, receiver.received[0]!))).toEqual([true, true]);
  server.advance(3 * HOUR_MS);
  await createFlag('y');
  await run();
  expect([old!, secret!].map((one) => verifies(one, receiver.received[1]!))).toEqual([false, true]);
  const rotate = () => api.webhooks.rotateSecret(id, {}, { idempotencyKey: 'k1' });
  expect((await rotate()).secret).toMatch(/^whsec_/);
  expect(await rotate()).not.toHaveProperty('secret');
});

test('filters by events, project, environments and tags', async () => {
  const { production, staging } = server.environments;
  const hooks = {
    toggles: await createWebhook({ events: ['flag.toggled'] }),
    staging: await createWebhook({ events: ['*'], environment_ids: [staging] }),
    tagged: await createWebhook({ events: ['flag.*'], tags: ['ops'] }),
    project: await createWebhook({ events: ['*'], project_id: server.projectId, payload: 'thin' }),
    rulesets: await createWebhook({ events: ['ruleset.updated'], environment_ids: [production] }),
  };
  const before = (await messages()).rows.length;
  const plain = await createFlag('plain');
  await createFlag('tagged', { tags: ['ops'] });
  await api.flags.toggle(plain, true);
  await api.in(staging).flags.toggle(plain, true);
  await api.projects.create({ key: 'other', name: 'Other' });
  await run();
  const { rows } = await messages();
  const typesOf = (hook: { id: string }) =>
    rows
      .slice(before)
      .filter((row) => row.webhook_id === hook.id)
      .map((row) => row.type);
  expect(typesOf(hooks.toggles)).toEqual(['flag.toggled', 'flag.toggled']);
  // A new flag changes the rulesets of all environments of its project.
  expect(typesOf(hooks.staging)).toEqual(['flag.created', 'flag.created', 'flag.toggled']);
  expect(typesOf(hooks.tagged)).toEqual(['flag.created']);
  expect(typesOf(hooks.project)).toEqual(['flag.created', 'flag.created', 'flag.toggled', 'flag.toggled']);
  expect(typesOf(hooks.rulesets)).toEqual(['ruleset.updated', 'ruleset.updated', 'ruleset.updated']);
  const thin = JSON.parse(rows.find((row) => row.webhook_id === hooks.project.id)!.body).data;
  expect(thin).not.toHaveProperty('changes');
  expect(thin.flag).toEqual({ id: plain, key: 'plain' });
});

test('delivers a stale flag under two types, and a subscription to one gets one', async () => {
  const one = await createWebhook({ events: ['flag.stale'] });
  const old = await createWebhook({ events: ['flag.marked_stale'] });
  const all = await createWebhook({ events: ['*'] });
  // The flag is marked as stale in production, and shows as stale in every environment.
  const { staging } = server.environments;
  const elsewhere = await createWebhook({ events: ['flag.stale'], environment_ids: [staging] });
  const byHand = await createFlag('by-hand');
  const inBulk = await createFlag('in-bulk');
  await createFlag('by-night', { expected_end_at: '2026-11-20T12:00:00Z' });
  await run();
  receiver.received.length = 0;
  await api.flags.markStale(byHand);
  await api.flags.bulk({
    action: 'mark_stale',
    environment_id: server.environments.production,
    flag_ids: [inBulk],
  });
  server.advance(18 * HOUR_MS);
  await run();
  await run();
  const { rows } = await messages();
  const sentTo = ({ id }: { id: string }) =>
    rows
      .filter((row) => row.webhook_id === id && /stale/.test(row.type))
      .map((row) => [row.type, ...whoOf(JSON.parse(row.body))].join(' '))
      .sort();
  const whoOf = ({ data }: { data: { flag: { key: string }; actor: { kind: string } } }) => [
    data.flag.key,
    data.actor.kind,
  ];
  const whose = ['by-hand user', 'by-night system', 'in-bulk user'];
  const newNames = whose.map((who) => `flag.stale ${who}`);
  const oldNames = whose.map((who) => `flag.marked_stale ${who}`);
  expect(sentTo(one)).toEqual(newNames);
  expect(sentTo(old)).toEqual(oldNames);
  expect(sentTo(all)).toEqual([...oldNames, ...newNames]);
  expect(sentTo(elsewhere)).toEqual(newNames);
  const stale = receiver.received.find(({ body }) => body.type === 'flag.stale')!.body;
  expect(stale.data.changes).toMatchObject({ status: { from: 'active', to: 'stale' } });
});

test('sends the thin form of a body above 20 KiB', async () => {
  await createWebhook();
  const value = 'x'.repeat(15_000);
  await createFlag('big', {
    flag_type: 'string',
    default_variation: 'a',
    variations: [
      { key: 'a', name: 'A', value },
      { key: 'b', name: 'B', value: `${value}b` },
    ],
  });
  await run();
  expect(receiver.received[0]!.body.data).toMatchObject({ thin: true, flag: { key: 'big' } });
  expect(receiver.received[0]!.text.length).toBeLessThan(1_000);
});

test('sends to each webhook in order, one message at a time, independently of the others', async () => {
  const slow = await startReceiver();
  slow.delay(30);
  const outbound = createOutbound({
    allowHttp: true,
    ranges: ['127.0.0.1'],
    ports: [slow.port, receiver.port],
  });
  await server.close();
  server = await startServer({ outbound });
  api = server.as('admin');
  await createWebhook({ url: slow.url });
  await createWebhook();
  for (let index = 0; index < 8; index++) await createFlag(`flag-${index}`);
  const done = run();
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(8);
  expect(slow.received.length).toBeLessThan(8);
  await done;
  for (const { received } of [slow, receiver]) {
    expect(received.map((one) => one.body.data.flag.key)).toEqual(
      Array.from({ length: 8 }, (_, index) => `flag-${index}`),
    );
  }
  await slow.close();
});

test('tests a webhook at once, and reveals little about an unreachable address', async () => {
  const { id } = await createWebhook();
  receiver.answer({ status: 202, body: 'thanks' });
  expect(await api.webhooks.test(id)).toMatchObject({
    type: 'ping',
    status: 'succeeded',
    status_code: 202,
    response_excerpt: 'thanks',
  });
  expect(receiver.received[0]!.body).toMatchObject({ type: 'ping', data: { webhook_id: id } });
  const { port } = receiver;
  await receiver.close();
  expect(await api.webhooks.test(id)).toMatchObject({
    status: 'failed',
    status_code: null,
    fault: 'unreachable',
  });
  const toPrivate = api.webhooks.create({ url: `https://10.0.0.1:${port}/`, events: ['*'] });
  expect(await codeOf(toPrivate)).toBe('URL_NOT_ALLOWED');
  // A test is not retried.
  await run();
  expect((await messages()).rows.every((row) => row.status !== 'pending')).toBe(true);
});

test('redelivers a message under its own id, also a successful one', async () => {
  const { id } = await createWebhook();
  await createFlag('x');
  await run();
  const messageId = receiver.received[0]!.headers['webhook-id']!;
  const before = await server.as('editor').webhooks.getMessage(messageId);
  expect(before).toMatchObject({ webhook_id: id, status: 'succeeded', attempts: 1 });
  expect(before.body).toBe(receiver.received[0]!.text);
  receiver.answer({ status: 500 });
  await api.webhooks.redeliver(messageId);
  await run();
  expect(receiver.received.map((one) => one.headers['webhook-id'])).toEqual([messageId, messageId]);
  // A manual redelivery is not retried.
  const after = await api.webhooks.getMessage(messageId);
  expect(after).toMatchObject({ status: 'failed', attempts: 2, next_attempt_at: null });
  expect(after.deliveries.map(({ attempt }) => attempt)).toEqual([2, 1]);
});

test('keeps secrets and headers out of answers and the audit log, and encrypts them in the database', async () => {
  const { id, secret } = await createWebhook({
    url: `${receiver.url}?token=topsecret`,
    headers: { authorization: 'Bearer hidden' },
  });
  await api.webhooks.update(id, { headers: { 'x-b': 'hidden2' } });
  const rows = await server.db.selectFrom('webhooks').selectAll().execute();
  const entries = await server.db.selectFrom('audit_entries').selectAll().execute();
  const text = JSON.stringify([await api.webhooks.list(), rows, entries]);
  for (const hidden of [secret!.slice(6), 'hidden']) expect(text).not.toContain(hidden);
  expect(JSON.stringify(entries)).not.toContain('topsecret');
  await createFlag('x');
  await run();
  expect(receiver.received[0]!.headers['x-b']).toBe('hidden2');
  expect(receiver.received[0]!.headers).not.toHaveProperty('authorization');
});

test.each([
  [{ events: ['flag'] }, 'events.0'],
  [{ events: [] }, 'events'],
  [{ headers: { 'webhook-id': 'x' } }, 'headers.webhook-id'],
  [{ headers: { 'content-length': '1' } }, 'headers.content-length'],
  [{ headers: { 'x-a': 'a\r\nhost: b' } }, 'headers.x-a'],
  [{ headers: { 'a b': 'c' } }, 'headers.a b'],
  [{ payload: 'fat' }, 'payload'],
])('refuses %j', async (more, field) => {
  const body = { url: receiver.url, events: ['*'], ...more };
  const { code, details } = await refused(api.unchecked.webhooks.create(body));
  expect([code, details.fields[0].field]).toEqual(['VALIDATION_ERROR', field]);
});

test('processes each outbox event once, also without webhooks, and deletes it after a week', async () => {
  await createFlag('unheard');
  await run();
  const undelivered = () =>
    server.db.selectFrom('outbox').selectAll().where('delivered_at', 'is', null).execute();
  expect(await undelivered()).toEqual([]);
  await createWebhook();
  await createFlag('heard');
  await Promise.all([run(), run()]);
  await run();
  expect(receiver.received.map((one) => one.body.data.flag.key)).toEqual(['heard']);
  server.advance(31 * 24 * HOUR_MS);
  await run();
  expect(await server.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
  expect(await server.db.selectFrom('webhook_attempts').selectAll().execute()).toEqual([]);
});

test('limits a project to 50 webhooks, and treats webhooks of another tenant as unknown', async () => {
  const create = (more: Partial<Body<'POST /webhooks'>> = {}) =>
    api.webhooks.create({ url: receiver.url, events: ['*'], ...more });
  for (let count = 0; count < 50; count++) await create();
  expect(await codeOf(create())).toBe('LIMIT_EXCEEDED');
  const { projectId: project_id } = server;
  expect(await codeOf(create({ project_id }))).toBe('OK');
  expect(await api.webhooks.list({ project_id })).toHaveLength(1);
  expect(await codeOf(create({ project_id: 'prj_x' }))).toBe('PROJECT_NOT_FOUND');
  expect(await codeOf(create({ environment_ids: ['env_x'] }))).toBe('ENVIRONMENT_NOT_FOUND');
  const [webhook] = await api.webhooks.list({ per_page: 1 });
  expect(await codeOf(api.webhooks.delete(webhook!.id))).toBe('OK');
});

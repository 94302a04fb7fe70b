import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { createOutbound } from '../../../outbound/outbound.ts';

let server: TestServer;
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
});
afterEach(async () => {
  await server.close();
  await receiver.close();
});

const run = () => server.app.runBackground();
const as = (role: 'admin' | 'editor' | 'viewer' = 'admin') => ({ token: server.tokens[role] });
const post = (url: string, body?: unknown, role?: 'admin' | 'editor') =>
  server.call({ method: 'POST', url, ...as(role), ...(body !== undefined && { body }) });
const get = (url: string, role?: 'admin' | 'editor') => server.call({ url, ...as(role) });

async function createWebhook(more: object = {}) {
  const answer = await post('/webhooks', { url: receiver.url, events: ['flag.*'], ...more });
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  // Earlier events have no receivers.
  await run();
  return answer.body.data;
}

async function createFlag(key: string, more: object = {}) {
  const answer = await post(
    `/flags?environment_id=${server.environments.production}`,
    booleanFlag(key, more),
  );
  return answer.body.data.id as string;
}

const toggle = (id: string, enabled: boolean, environment: 'production' | 'staging' = 'production') =>
  post(`/flags/${id}/toggle?environment_id=${server.environments[environment]}`, { enabled });

test('sends a signed message that the reference library accepts, and returns the secret once', async () => {
  const { id, secret, ...shown } = await createWebhook({ headers: { 'X-Team': 'checkout' } });
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  const read = await get(`/webhooks/${id}`);
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
  await toggle(flagId, true);
  await run();
  const shownFlag = await get(`/flags/${flagId}?environment_id=${server.environments.production}`);
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
      flag: { id: flagId, key: 'dark-mode', enabled: true, revision: shownFlag.body.data.revision },
      changes: { enabled: { from: false, to: true } },
      actor: { id: expect.stringMatching(/^usr_/), kind: 'user' },
      ruleset_version: 3,
      audit_id: expect.stringMatching(/^evt_/),
    },
  });
  expect(verifies(secret, toggled!)).toBe(true);
  expect(verifies(secret, { ...toggled!, text: toggled!.text.replace('true', 'false') })).toBe(false);
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
  expect((await get(`/webhooks/${id}/public-key`)).body.data).toEqual({ public_key });
  await createFlag('x');
  await run();
  const { headers, text } = receiver.received[0]!;
  const x = Buffer.from(public_key.slice('whpk_'.length), 'base64').toString('base64url');
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
  await server.call({ method: 'POST', url: `/webhooks/${id}/rotate-secret`, token: await login(), body: {} });
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
  await server.call({ method: 'POST', url: `/webhooks/${id}/rotate-secret`, token: await login(), body: {} });
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
    const wait = Date.parse(message!.next_attempt_at!) - (await now());
    waits.push(Math.round(wait / 1000));
    server.advance(wait - 1_000);
    await run();
    expect(receiver.received, `${count}: too early`).toHaveLength(count);
    server.advance(1_500);
  }
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(new Set(receiver.received.map((one) => one.headers['webhook-id'])).size).toBe(1);
  expect(new Set(receiver.received.map((one) => one.headers['webhook-timestamp'])).size).toBe(10);
  for (const one of receiver.received) expect(verifies(secret, one)).toBe(true);
  const fresh = await login();
  const { body } = await server.call({ url: `/webhooks/${id}/deliveries?per_page=4`, token: fresh });
  expect(body.meta).toMatchObject({ total: 10, next_cursor: body.data[3].id });
  expect(body.data[0]).toMatchObject({
    attempt: 10,
    status: 'failed',
    status_code: 500,
    type: 'flag.created',
  });
  expect(body.data[0].response_excerpt).toHaveLength(1_024);
  const older = await server.call({
    url: `/webhooks/${id}/deliveries?per_page=200&cursor=${body.meta.next_cursor}`,
    token: fresh,
  });
  expect(older.body.data.map((one: { attempt: number }) => one.attempt)).toEqual([6, 5, 4, 3, 2, 1]);
});

const messages = async () => ({
  rows: await server.db.selectFrom('webhook_messages').selectAll().orderBy('id').execute(),
});
const now = async () => Date.parse((await server.call({ url: '/health' })).headers.date as string) && clock();
/** The simulated time, read from the latest attempt. */
async function clock(): Promise<number> {
  const { created_at } = await server.db
    .selectFrom('webhook_attempts')
    .select('created_at')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return Date.parse(created_at);
}
async function login(): Promise<string> {
  const body = { email: 'admin@example.com', password: 'correct horse' };
  return (await server.call({ method: 'POST', url: '/auth/login', body })).body.data.access_token;
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
  expect((await get(`/webhooks/${id}`)).body.data).toMatchObject({
    status: 'disabled',
    disabled_reason: 'gone',
  });
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
  const replay = await post(`/webhooks/${id}/replay`, {
    from: '2026-01-01T00:00:00Z',
    to: '2027-01-01T00:00:00Z',
  });
  expect([replay.status, replay.body.error.code]).toEqual([409, 'WEBHOOK_DISABLED']);

  expect((await post(`/webhooks/${id}/enable`)).body.data).toMatchObject({
    status: 'enabled',
    disabled_reason: null,
  });
  const again = await post(`/webhooks/${id}/replay`, {
    from: '2026-01-01T00:00:00Z',
    to: '2027-01-01T00:00:00Z',
    status: 'cancelled',
  });
  expect([again.status, again.body.data]).toEqual([202, { replayed: 1 }]);
  await run();
  expect((await messages()).rows[1]).toMatchObject({ status: 'succeeded' });
});

test('disables a webhook after five days without a success, but not one that sometimes succeeds', async () => {
  const { id } = await createWebhook();
  receiver.answer({ status: 500 });
  const day = async () => {
    server.advance(24 * HOUR_MS);
    server = { ...server, tokens: { ...server.tokens, admin: await login() } };
    await createFlag(`f-${await clock().catch(() => 0)}`);
    await run();
  };
  for (let count = 0; count < 4; count++) await day();
  receiver.answer({ status: 200 }, { status: 500 });
  await day();
  for (let count = 0; count < 4; count++) await day();
  expect((await get(`/webhooks/${id}`)).body.data.status).toBe('enabled');
  await day();
  await day();
  expect((await get(`/webhooks/${id}`)).body.data).toMatchObject({
    status: 'disabled',
    disabled_reason: 'failing',
  });
});

test('signs with both secrets during a rotation, then with the new one', async () => {
  const { id, secret: old } = await createWebhook();
  const rotated = await post(`/webhooks/${id}/rotate-secret`, { overlap_hours: 2 });
  const { secret } = rotated.body.data;
  expect(secret).not.toBe(old);
  await createFlag('x');
  await run();
  expect(receiver.received[0]!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
  expect([old, secret].map((one) => verifies(one, receiver.received[0]!))).toEqual([true, true]);
  server.advance(3 * HOUR_MS);
  await createFlag('y');
  await run();
  expect([old, secret].map((one) => verifies(one, receiver.received[1]!))).toEqual([false, true]);
  const once = { 'idempotency-key': 'k1' };
  const call = () =>
    server.call({ method: 'POST', url: `/webhooks/${id}/rotate-secret`, ...as(), body: {}, headers: once });
  expect((await call()).body.data.secret).toMatch(/^whsec_/);
  expect((await call()).body.data).not.toHaveProperty('secret');
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
  await toggle(plain, true);
  await toggle(plain, true, 'staging');
  await post('/projects', { key: 'other', name: 'Other' });
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
  const query = `environment_id=${server.environments.production}`;
  const byHand = await createFlag('by-hand');
  const inBulk = await createFlag('in-bulk');
  await createFlag('by-night', { expected_end_at: '2026-11-20T12:00:00Z' });
  await run();
  receiver.received.length = 0;
  await post(`/flags/${byHand}/mark-stale?${query}`, {});
  const bulk = { action: 'mark_stale', environment_id: server.environments.production, flag_ids: [inBulk] };
  await post('/flags/bulk', bulk);
  server.advance(18 * HOUR_MS);
  await run();
  await run();
  const { rows } = await messages();
  const toldTo = ({ id }: { id: string }) =>
    rows
      .filter((row) => row.webhook_id === id && /stale/.test(row.type))
      .map((row) => [row.type, ...whoOf(JSON.parse(row.body))].join(' '))
      .sort();
  const whoOf = ({ data }: { data: { flag: { key: string }; actor: { kind: string } } }) => [
    data.flag.key,
    data.actor.kind,
  ];
  const whose = ['by-hand user', 'by-night system', 'in-bulk user'];
  const news = whose.map((who) => `flag.stale ${who}`);
  const olds = whose.map((who) => `flag.marked_stale ${who}`);
  expect(toldTo(one)).toEqual(news);
  expect(toldTo(old)).toEqual(olds);
  expect(toldTo(all)).toEqual([...olds, ...news]);
  expect(toldTo(elsewhere)).toEqual(news);
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
  expect((await post(`/webhooks/${id}/test`)).body.data).toMatchObject({
    type: 'ping',
    status: 'succeeded',
    status_code: 202,
    response_excerpt: 'thanks',
  });
  expect(receiver.received[0]!.body).toMatchObject({ type: 'ping', data: { webhook_id: id } });
  const { port } = receiver;
  await receiver.close();
  expect((await post(`/webhooks/${id}/test`)).body.data).toMatchObject({
    status: 'failed',
    status_code: null,
    fault: 'unreachable',
  });
  const private_ = await post('/webhooks', { url: `https://10.0.0.1:${port}/`, events: ['*'] });
  expect([private_.status, private_.body.error.code]).toEqual([422, 'URL_NOT_ALLOWED']);
  // A test is not retried.
  await run();
  expect((await messages()).rows.every((row) => row.status !== 'pending')).toBe(true);
});

test('redelivers a message under its own id, also a successful one', async () => {
  const { id } = await createWebhook();
  await createFlag('x');
  await run();
  const messageId = receiver.received[0]!.headers['webhook-id']!;
  const before = await get(`/webhook-messages/${messageId}`, 'editor');
  expect(before.body.data).toMatchObject({ webhook_id: id, status: 'succeeded', attempts: 1 });
  expect(before.body.data.body).toBe(receiver.received[0]!.text);
  receiver.answer({ status: 500 });
  expect((await post(`/webhook-messages/${messageId}/redeliver`)).status).toBe(202);
  await run();
  expect(receiver.received.map((one) => one.headers['webhook-id'])).toEqual([messageId, messageId]);
  // A manual redelivery is not retried.
  const after = await get(`/webhook-messages/${messageId}`);
  expect(after.body.data).toMatchObject({ status: 'failed', attempts: 2, next_attempt_at: null });
  expect(after.body.data.deliveries.map((one: { attempt: number }) => one.attempt)).toEqual([2, 1]);
});

test('keeps secrets and headers out of answers and the audit log, and encrypts them in the database', async () => {
  const { id, secret } = await createWebhook({
    url: `${receiver.url}?token=topsecret`,
    headers: { authorization: 'Bearer hidden' },
  });
  await server.call({
    method: 'PATCH',
    url: `/webhooks/${id}`,
    ...as(),
    body: { headers: { 'x-b': 'hidden2' } },
  });
  const rows = await server.db.selectFrom('webhooks').selectAll().execute();
  const entries = await server.db.selectFrom('audit_entries').selectAll().execute();
  const said = JSON.stringify([(await get('/webhooks')).body, rows, entries]);
  for (const text of [secret.slice(6), 'hidden']) expect(said).not.toContain(text);
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
  const { status, body } = await post('/webhooks', { url: receiver.url, events: ['*'], ...more });
  expect([status, body.error.details.fields[0].field]).toEqual([400, field]);
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
  for (let count = 0; count < 50; count++) await post('/webhooks', { url: receiver.url, events: ['*'] });
  const refused = await post('/webhooks', { url: receiver.url, events: ['*'] });
  expect([refused.status, refused.body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
  expect(
    (await post('/webhooks', { url: receiver.url, events: ['*'], project_id: server.projectId })).status,
  ).toBe(201);
  expect((await get(`/webhooks?project_id=${server.projectId}`)).body.meta.total).toBe(1);
  for (const body of [{ project_id: 'prj_x' }, { environment_ids: ['env_x'] }]) {
    const { status } = await post('/webhooks', { url: receiver.url, events: ['*'], ...body });
    expect(status).toBe(404);
  }
  const removed = await server.call({
    method: 'DELETE',
    url: `/webhooks/${(await get('/webhooks?per_page=1')).body.data[0].id}`,
    ...as(),
  });
  expect(removed.status).toBe(204);
});

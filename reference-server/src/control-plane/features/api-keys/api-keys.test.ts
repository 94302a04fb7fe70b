import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { generateKey } from '../../../publishing/key-format.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

function create(body: object, type: 'development' | 'staging' | 'production' = 'development', headers = {}) {
  const url = `/environments/${server.environments[type]}/api-keys`;
  return server.call({ method: 'POST', url, token: server.tokens.admin, body, headers });
}

const ruleset = (key: string) => server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key } });

test('creates a key from a name, and shows it once', async () => {
  const { status, body } = await create({ name: 'CI' });
  expect(status).toBe(201);
  const { key, ...record } = body.data;
  expect(key).toMatch(/^sdk-dev-[0-9A-Za-z]{38}$/);
  expect(record).toEqual({
    id: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
    name: 'CI',
    kind: 'server',
    environment_id: server.environments.development,
    prefix: 'sdk-dev-',
    last_four: key.slice(-4),
    status: 'active',
    rotation_ends_at: null,
    allowed_origins: [],
    allowed_ips: [],
    created_by: expect.stringMatching(/^usr_/),
    revision: 1,
    created_at: expect.any(String),
    expires_at: null,
    last_used_at: null,
  });
  const list = await server.call({
    url: `/environments/${server.environments.development}/api-keys`,
    token: server.tokens.editor,
  });
  expect(list.body.data).toEqual([record]);
  expect((await ruleset(key)).status).toBe(200);
});

test('names the type of the environment in the prefix', async () => {
  expect((await create({ name: 'k' }, 'staging')).body.data.key).toMatch(/^sdk-staging-/);
  expect((await create({ name: 'k' }, 'production')).body.data.key).toMatch(/^sdk-prod-/);
});

test('stores no key', async () => {
  const { body } = await create({ name: 'secret' }, 'development', { 'idempotency-key': 'once' });
  const rows = JSON.stringify([
    await server.db.selectFrom('api_keys').selectAll().execute(),
    await server.db.selectFrom('audit_entries').selectAll().execute(),
    await server.db.selectFrom('outbox').selectAll().execute(),
    await server.db.selectFrom('idempotency_keys').selectAll().execute(),
  ]);
  expect(rows).toContain(body.data.id);
  expect(rows).not.toContain(body.data.key);
  const repeated = await create({ name: 'secret' }, 'development', { 'idempotency-key': 'once' });
  const { key: _, ...record } = body.data;
  expect([repeated.status, repeated.body.data]).toEqual([201, record]);
});

test('revokes at once', async () => {
  const { body } = await create({ name: 'short' });
  const { id, key } = body.data;
  expect((await ruleset(key)).status).toBe(200);
  const revoke = () => server.call({ method: 'DELETE', url: `/api-keys/${id}`, token: server.tokens.editor });
  expect((await revoke()).status).toBe(204);
  const refused = await ruleset(key);
  expect([refused.status, refused.body.error.code]).toEqual([401, 'INVALID_API_KEY']);
  expect((await revoke()).body.error.code).toBe('API_KEY_NOT_FOUND');
  const list = await server.call({
    url: `/environments/${server.environments.development}/api-keys`,
    token: server.tokens.editor,
  });
  expect(list.body.data.find((one: { id: string }) => one.id === id).status).toBe('revoked');
});

test('expires, and lets the date be moved', async () => {
  const past = await create({ name: 'past', expires_at: '2020-01-01T00:00:00Z' });
  expect(past.body.error.details.fields[0]).toMatchObject({ field: 'expires_at', code: 'future' });
  const { body } = await create({ name: 'dated', expires_at: '2026-11-20T11:00:00Z' });
  const { id, key, expires_at } = body.data;
  expect(expires_at).toBe('2026-11-20T11:00:00.000Z');
  expect((await ruleset(key)).status).toBe(200);
  server.advance(60 * 60 * 1000);
  expect((await ruleset(key)).status).toBe(401);
  const moved = await server.call({
    method: 'PATCH',
    url: `/api-keys/${id}`,
    token: server.tokens.editor,
    body: { expires_at: null, name: 'undated' },
  });
  expect(moved.body.data).toMatchObject({ name: 'undated', expires_at: null, status: 'active' });
  expect((await ruleset(key)).status).toBe(200);
});

test('takes the three kinds and no other', async () => {
  for (const kind of ['server', 'client', 'relay']) {
    expect((await create({ name: kind, kind })).body.data.kind).toBe(kind);
  }
  expect((await create({ name: 'x', kind: 'admin' })).status).toBe(400);
  expect((await create({})).body.error.details.fields[0]).toMatchObject({ field: 'name', code: 'required' });
});

/** As scanners tell a key that was never issued here. */
function isKeyShaped(text: string): boolean {
  const [, body = '', checksum = ''] = /^(sdk-(?:dev|staging|prod)-\w{32})(\w{6})$/.exec(text) ?? [];
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const sum = [...checksum].reduce((rest, digit) => rest * 62 + digits.indexOf(digit), 0);
  return body !== '' && sum === crc32(body);
}

test('checks a key offline by its last six characters', () => {
  const key = generateKey('production');
  expect(isKeyShaped(key)).toBe(true);
  const other = key.at(-8) === 'a' ? 'b' : 'a';
  expect(isKeyShaped(key.slice(0, -8) + other + key.slice(-7))).toBe(false);
  expect(isKeyShaped(key.replace('prod', 'live'))).toBe(false);
});

const rotate = (id: string, body: object = {}) =>
  server.call({ method: 'POST', url: `/api-keys/${id}/rotate`, token: server.tokens.editor, body });

test('rotates a key: the old secret works for its grace, and no longer', async () => {
  const { id, key } = (await create({ name: 'rotated' })).body.data;
  const { body } = await rotate(id, { grace_minutes: 10 });
  expect(body.data).toMatchObject({ id, status: 'rotating', last_four: body.data.key.slice(-4) });
  expect(body.data.key).not.toBe(key);
  expect((await ruleset(key)).status).toBe(200);
  expect((await ruleset(body.data.key)).status).toBe(200);
  server.advance(10 * 60_000);
  expect((await ruleset(key)).body.error.code).toBe('INVALID_API_KEY');
  expect((await ruleset(body.data.key)).status).toBe(200);
});

test('gives the old secret a day unless told otherwise, and says until when', async () => {
  const { id, key } = (await create({ name: 'by default' })).body.data;
  const { body, headers } = await rotate(id);
  const { rotation_ends_at, key: next, status } = body.data;
  expect([status, body.warnings]).toEqual(['rotating', undefined]);
  const rotatedAt = Date.parse(rotation_ends_at) - 24 * 3_600_000;
  expect(new Date(rotatedAt).toISOString()).toMatch(/^2026-/);
  expect(headers['x-flagsvc-warnings']).toBeUndefined();
  server.advance(24 * 3_600_000 - 1_000);
  expect([(await ruleset(key)).status, (await ruleset(next)).status]).toEqual([200, 200]);
  server.advance(2_000);
  expect([(await ruleset(key)).status, (await ruleset(next)).status]).toEqual([401, 200]);
  server.advance(-24 * 3_600_000 - 1_000);
});

test('shows the end of a rotating key where that comes before the end of its grace', async () => {
  const { rotation_ends_at } = (await rotate((await create({ name: 'short' })).body.data.id)).body.data;
  const expires_at = new Date(Date.parse(rotation_ends_at) - 3_600_000).toISOString();
  const { id } = (await create({ name: 'shorter', expires_at })).body.data;
  expect((await rotate(id)).body.data.rotation_ends_at).toBe(expires_at);
});

test('warns when a rotation ends the grace of the one before', async () => {
  const { id } = (await create({ name: 'twice' })).body.data;
  const first = (await rotate(id)).body.data;
  const tried = await server.call({
    method: 'POST',
    url: `/api-keys/${id}/rotate?dry_run=true`,
    token: server.tokens.editor,
    body: {},
  });
  const warning = {
    code: 'grace-cut-short',
    field: 'rotation_ends_at',
    message: `The secret before the last rotation would have worked until ${first.rotation_ends_at}; this rotation ends it now.`,
    details: { would_have_ended_at: first.rotation_ends_at },
  };
  expect(tried.body.data.plan[0].warnings).toMatchObject([warning]);
  expect((await rotate(id)).body.warnings).toMatchObject([warning]);
});

test('rotates at once without a grace, and ends an older grace with the next rotation', async () => {
  const { id, key } = (await create({ name: 'leaked' })).body.data;
  const second = (await rotate(id, { grace_minutes: 10 })).body.data.key;
  const third = (await rotate(id, { grace_minutes: 10 })).body.data.key;
  expect((await ruleset(key)).status).toBe(401);
  expect((await ruleset(second)).status).toBe(200);
  await rotate(id, { grace_minutes: 0 });
  for (const old of [second, third]) expect((await ruleset(old)).status).toBe(401);
});

test('revokes both secrets of a key that is rotating', async () => {
  const { id, key } = (await create({ name: 'both' })).body.data;
  const next = (await rotate(id, { grace_minutes: 60 })).body.data.key;
  await server.call({ method: 'DELETE', url: `/api-keys/${id}`, token: server.tokens.editor });
  for (const secret of [key, next]) expect((await ruleset(secret)).status).toBe(401);
  const again = await rotate(id);
  expect([again.status, again.body.error.code]).toEqual([404, 'API_KEY_NOT_FOUND']);
});

test('wakes no expired key in an environment that has changed its type, until it is rotated', async () => {
  const { admin: token } = server.tokens;
  const where = { key: 'rising', name: 'Rising', type: 'development' };
  const url = `/projects/${server.projectId}/environments`;
  const { id: environmentId } = (await server.call({ method: 'POST', url, token, body: where })).body.data;
  const patch = (path: string, body: object) => server.call({ method: 'PATCH', url: path, token, body });
  const body = { name: 'old', expires_at: '2026-11-20T12:00:00Z' };
  const made = await server.call({
    method: 'POST',
    url: `/environments/${environmentId}/api-keys`,
    token,
    body,
  });
  const { id, key } = made.body.data;
  server.advance(2 * 60 * 60 * 1000);
  expect((await patch(`/environments/${environmentId}`, { type: 'production' })).status).toBe(200);
  const wake = () => patch(`/api-keys/${id}`, { expires_at: null });
  expect((await wake()).body.error.details.fields[0]).toMatchObject({ field: 'expires_at', code: 'prefix' });
  const grace = { grace_minutes: 10 };
  const rotated = await server.call({ method: 'POST', url: `/api-keys/${id}/rotate`, token, body: grace });
  expect(rotated.body.data).toMatchObject({ prefix: 'sdk-prod-', key: expect.stringMatching(/^sdk-prod-/) });
  expect((await wake()).body.data).toMatchObject({ prefix: 'sdk-prod-', status: 'active' });
  expect([(await ruleset(rotated.body.data.key)).status, (await ruleset(key)).status]).toEqual([200, 401]);
});

test('holds a client key to its origins, and a key to its addresses', async () => {
  const client = await create({
    name: 'page',
    kind: 'client',
    allowed_origins: ['https://app.example.com/'],
  });
  expect(client.body.data.allowed_origins).toEqual(['https://app.example.com']);
  const from = (origin: string) =>
    server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': client.body.data.key, origin } });
  expect((await from('https://app.example.com')).status).toBe(200);
  expect((await from('https://evil.example')).body.error.code).toBe('ORIGIN_NOT_ALLOWED');

  const { id, key } = (await create({ name: 'inside', allowed_ips: ['10.0.0.0/8'] })).body.data;
  expect((await ruleset(key)).body.error.code).toBe('IP_NOT_ALLOWED');
  const url = `/api-keys/${id}`;
  const body = { allowed_ips: ['127.0.0.0/8', '::1'] };
  await server.call({ method: 'PATCH', url, token: server.tokens.editor, body });
  expect((await ruleset(key)).status).toBe(200);
});

test.each([
  ['origins for a server key', { allowed_origins: ['https://app.example.com'] }],
  ['an origin with a path', { kind: 'client', allowed_origins: ['https://app.example.com/x'] }],
  ['an origin without a scheme', { kind: 'client', allowed_origins: ['app.example.com'] }],
  ['an address that is none', { allowed_ips: ['10.0.0.256'] }],
  ['a number as an address', { allowed_ips: ['1'] }],
  ['a short form of an address', { allowed_ips: ['10.0.1'] }],
  ['a range of a short form', { allowed_ips: ['10/8'] }],
  ['a range that is none', { allowed_ips: ['10.0.0.0/33'] }],
])('refuses %s', async (_, more) => {
  expect((await create({ name: 'x', ...more })).body.error.code).toBe('VALIDATION_ERROR');
});

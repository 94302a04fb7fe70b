import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { startServer, type TestServer } from '../../../../test/server.ts';
import { generateKey } from '../../../publishing/key-format.ts';

const HOUR_MS = 60 * 60 * 1000;
let server: TestServer;
let api: Api;
let development: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('admin');
  ({ development } = server.environments);
});
afterAll(() => server.close());

/** Creates a key of the development environment; `key` holds the secret. */
async function create(body: object, environment = development) {
  const { key, ...record } = await api.unchecked.apiKeys.create(environment, body);
  return { ...record, key: key! };
}

/** `OK`, or the error code when the key is used to fetch the ruleset. */
const use = (key: string) => codeOf(server.withKey(key).dataPlane.ruleset());

test('a key needs only a name, and its secret is returned once', async () => {
  const { key, ...record } = await create({ name: 'CI' });
  expect(key).toMatch(/^sdk-dev-[0-9A-Za-z]{38}$/);
  expect(record).toEqual({
    id: expect.stringMatching(/^key_[0-9A-Z]{26}$/),
    name: 'CI',
    kind: 'server',
    environment_id: development,
    prefix: 'sdk-dev-',
    last_four: key.slice(-4),
    status: 'active',
    rotation_ends_at: null,
    allowed_origins: [],
    allowed_ips: [],
    rate_limits: {},
    created_by: expect.stringMatching(/^usr_/),
    revision: 1,
    created_at: expect.any(String),
    expires_at: null,
    last_used_at: null,
  });
  expect(await api.apiKeys.list(development)).toEqual([record]);
  expect(await use(key)).toBe('OK');
});

test('the prefix of a key names the type of its environment', async () => {
  const { staging, production } = server.environments;
  expect((await create({ name: 'k' }, staging)).key).toMatch(/^sdk-staging-/);
  expect((await create({ name: 'k' }, production)).key).toMatch(/^sdk-prod-/);
});

test('the secret is neither stored nor part of a replayed answer', async () => {
  const createOnce = () => api.apiKeys.create(development, { name: 'secret' }, { idempotencyKey: 'once' });
  const { key, ...record } = await createOnce();
  const rows = JSON.stringify([
    await server.db.selectFrom('api_keys').selectAll().execute(),
    await server.db.selectFrom('audit_entries').selectAll().execute(),
    await server.db.selectFrom('outbox').selectAll().execute(),
    await server.db.selectFrom('idempotency_keys').selectAll().execute(),
  ]);
  expect(rows).toContain(record.id);
  expect(rows).not.toContain(key);
  expect(await createOnce()).toEqual(record);
});

test('a revoked key is refused at once', async () => {
  const { id, key } = await create({ name: 'short' });
  expect(await use(key)).toBe('OK');
  await api.apiKeys.revoke(id);
  expect(await use(key)).toBe('INVALID_API_KEY');
  expect(await codeOf(api.apiKeys.revoke(id))).toBe('API_KEY_NOT_FOUND');
  const listed = await api.apiKeys.list(development);
  expect(listed.find((one) => one.id === id)?.status).toBe('revoked');
});

test('an expired key is refused until its expiry is moved', async () => {
  const past = await refused(create({ name: 'past', expires_at: '2020-01-01T00:00:00Z' }));
  expect(past.details.fields[0]).toMatchObject({ field: 'expires_at', code: 'future' });
  const { id, key, expires_at } = await create({ name: 'dated', expires_at: '2026-11-20T11:00:00Z' });
  expect(expires_at).toBe('2026-11-20T11:00:00.000Z');
  expect(await use(key)).toBe('OK');
  server.advance(HOUR_MS);
  expect(await use(key)).toBe('INVALID_API_KEY');
  const moved = await api.apiKeys.update(id, { expires_at: null, name: 'undated' });
  expect(moved).toMatchObject({ name: 'undated', expires_at: null, status: 'active' });
  expect(await use(key)).toBe('OK');
});

test('a key has one of three kinds', async () => {
  for (const kind of ['server', 'client', 'relay']) {
    expect((await create({ name: kind, kind })).kind).toBe(kind);
  }
  expect(await codeOf(create({ name: 'x', kind: 'admin' }))).toBe('VALIDATION_ERROR');
  const { details } = await refused(create({}));
  expect(details.fields[0]).toMatchObject({ field: 'name', code: 'required' });
});

/** Recognizes a key by its form alone, as a secret scanner does. */
function isKeyShaped(text: string): boolean {
  const [, body = '', checksum = ''] = /^(sdk-(?:dev|staging|prod)-\w{32})(\w{6})$/.exec(text) ?? [];
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const sum = [...checksum].reduce((rest, digit) => rest * 62 + digits.indexOf(digit), 0);
  return body !== '' && sum === crc32(body);
}

test('a key ends with a checksum that can be verified offline', () => {
  const key = generateKey('production');
  expect(isKeyShaped(key)).toBe(true);
  const other = key.at(-8) === 'a' ? 'b' : 'a';
  expect(isKeyShaped(key.slice(0, -8) + other + key.slice(-7))).toBe(false);
  expect(isKeyShaped(key.replace('prod', 'live'))).toBe(false);
});

/** Rotates a key; the new secret is in `key`. */
async function rotate(id: string, body: { grace_minutes?: number } = {}) {
  const { key, ...record } = await api.apiKeys.rotate(id, body);
  return { ...record, key: key! };
}

test('after a rotation the previous secret works until the grace period ends', async () => {
  const old = await create({ name: 'rotated' });
  const next = await rotate(old.id, { grace_minutes: 10 });
  expect(next).toMatchObject({ id: old.id, status: 'rotating', last_four: next.key.slice(-4) });
  expect(next.key).not.toBe(old.key);
  expect([await use(old.key), await use(next.key)]).toEqual(['OK', 'OK']);
  server.advance(10 * 60_000);
  expect([await use(old.key), await use(next.key)]).toEqual(['INVALID_API_KEY', 'OK']);
});

test('the default grace period is a day, and the rotation returns its end', async () => {
  const old = await create({ name: 'by default' });
  const { body, headers } = await api.apiKeys.rotate(old.id, {}).answer;
  const { rotation_ends_at, status } = body.data;
  expect([status, body.warnings]).toEqual(['rotating', undefined]);
  expect(headers['x-flagsvc-warnings']).toBeUndefined();
  expect(Date.parse(rotation_ends_at!) - Date.parse(old.created_at)).toBeCloseTo(24 * HOUR_MS, -2);
  const key = body.data.key!;
  server.advance(24 * HOUR_MS - 1_000);
  expect([await use(old.key), await use(key)]).toEqual(['OK', 'OK']);
  server.advance(2_000);
  expect([await use(old.key), await use(key)]).toEqual(['INVALID_API_KEY', 'OK']);
  server.advance(-24 * HOUR_MS - 1_000);
});

test('the grace period ends early if the key itself expires', async () => {
  const { rotation_ends_at } = await rotate((await create({ name: 'short' })).id);
  const expires_at = new Date(Date.parse(rotation_ends_at!) - HOUR_MS).toISOString();
  const { id } = await create({ name: 'shorter', expires_at });
  expect((await rotate(id)).rotation_ends_at).toBe(expires_at);
});

test('a rotation that cuts an earlier grace period short returns a warning', async () => {
  const { id } = await create({ name: 'twice' });
  const { rotation_ends_at } = await rotate(id);
  const warning = {
    code: 'grace-cut-short',
    field: 'rotation_ends_at',
    message: `The previous secret would have worked until ${rotation_ends_at}. This rotation ends it now.`,
    details: { would_have_ended_at: rotation_ends_at },
  };
  const { plan } = await api.dryRun.apiKeys.rotate(id, {});
  expect(plan[0]!.warnings).toMatchObject([warning]);
  expect((await api.apiKeys.rotate(id, {}).answer).body.warnings).toMatchObject([warning]);
});

test('a rotation without a grace period ends all earlier secrets', async () => {
  const { id, key: first } = await create({ name: 'leaked' });
  const { key: second } = await rotate(id, { grace_minutes: 10 });
  const { key: third } = await rotate(id, { grace_minutes: 10 });
  expect([await use(first), await use(second)]).toEqual(['INVALID_API_KEY', 'OK']);
  await rotate(id, { grace_minutes: 0 });
  for (const old of [second, third]) expect(await use(old)).toBe('INVALID_API_KEY');
});

test('revoking a key during its grace period revokes both secrets', async () => {
  const { id, key } = await create({ name: 'both' });
  const { key: next } = await rotate(id, { grace_minutes: 60 });
  await api.apiKeys.revoke(id);
  for (const secret of [key, next]) expect(await use(secret)).toBe('INVALID_API_KEY');
  expect(await codeOf(api.apiKeys.rotate(id, {}))).toBe('API_KEY_NOT_FOUND');
});

test('a key of an environment whose type has changed must be rotated before its expiry can be moved', async () => {
  const environment = await api.environments.create(server.projectId, {
    key: 'rising',
    name: 'Rising',
    type: 'development',
  });
  const old = await create({ name: 'old', expires_at: '2026-11-20T12:00:00Z' }, environment.id);
  server.advance(2 * HOUR_MS);
  await api.environments.update(environment.id, { type: 'production' });
  const renew = () => api.apiKeys.update(old.id, { expires_at: null });
  const { details } = await refused(renew());
  expect(details.fields[0]).toMatchObject({ field: 'expires_at', code: 'prefix' });
  const rotated = await rotate(old.id, { grace_minutes: 10 });
  expect(rotated).toMatchObject({ prefix: 'sdk-prod-', key: expect.stringMatching(/^sdk-prod-/) });
  expect(await renew()).toMatchObject({ prefix: 'sdk-prod-', status: 'active' });
  expect([await use(rotated.key), await use(old.key)]).toEqual(['OK', 'INVALID_API_KEY']);
});

test('a key has rate limits of its own, which apply from the next request on', async () => {
  const limits = { stream: 7, ruleset: 3, evaluation: 2 };
  const { id, key, rate_limits } = await create({ name: 'own', rate_limits: limits });
  expect(rate_limits).toEqual(limits);
  const poll = async () => {
    const { status, headers } = await server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key! } });
    return [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']].map(Number);
  };
  expect([await poll(), await poll(), await poll(), await poll()]).toEqual([
    [200, 3, 2],
    [200, 3, 1],
    [200, 3, 0],
    [429, 3, 0],
  ]);
  const plan = await api.apiKeys.update(id, { rate_limits: { ruleset: 5 } });
  expect(plan).toMatchObject({ rate_limits: { ruleset: 5 }, revision: 2 });
  expect(await poll()).toEqual([200, 5, 1]);
  await api.apiKeys.update(id, { rate_limits: {} });
  expect(await poll()).toEqual([200, 100, 95]);
  const rows = await server.db
    .selectFrom('audit_entries')
    .select('changes_json')
    .orderBy('id', 'desc')
    .execute();
  expect(rows[0]!.changes_json).toContain('"rate_limits":{"from":{"ruleset":5},"to":{}}');
});

test.each([
  ['zero', { ruleset: 0 }],
  ['a fraction', { ruleset: 1.5 }],
  ['a text', { ruleset: '100' }],
  ['more than the maximum', { ruleset: 10_000_001 }],
])('a key cannot have %s as a rate limit', async (_, rate_limits) => {
  const { code, details } = await refused(create({ name: 'k', rate_limits }));
  expect([code, details.fields[0].field]).toEqual(['VALIDATION_ERROR', 'rate_limits.ruleset']);
});

test.each([
  ['misspelled', 'Ruleset'],
  ['a limit of the server alone', 'auth'],
])('a rate limit whose name is %s is refused, and the key keeps its limits', async (_, name) => {
  const { id } = await create({ name: 'own', rate_limits: { ruleset: 3 } });
  const wrong = { rate_limits: { [name]: 5 } } as object;
  for (const write of [api.apiKeys.update(id, wrong), create({ name: 'k', ...wrong })]) {
    const { code, details } = await refused(write);
    expect([code, details.fields[0].field]).toEqual(['VALIDATION_ERROR', `rate_limits.${name}`]);
  }
  const [key] = await api.apiKeys.list(development);
  expect(key!.rate_limits).toEqual({ ruleset: 3 });
});

test('a client key works only from its allowed origins, and any key only from its allowed addresses', async () => {
  const client = await create({
    name: 'page',
    kind: 'client',
    allowed_origins: ['https://app.example.com/'],
  });
  expect(client.allowed_origins).toEqual(['https://app.example.com']);
  const from = (origin: string) =>
    codeOf(server.withKey(client.key).dataPlane.ruleset({ headers: { origin } }));
  expect(await from('https://app.example.com')).toBe('OK');
  expect(await from('https://evil.example')).toBe('ORIGIN_NOT_ALLOWED');

  const { id, key } = await create({ name: 'inside', allowed_ips: ['10.0.0.0/8'] });
  expect(await use(key)).toBe('IP_NOT_ALLOWED');
  await api.apiKeys.update(id, { allowed_ips: ['127.0.0.0/8', '::1'] });
  expect(await use(key)).toBe('OK');
});

test.each([
  ['origins for a server key', { allowed_origins: ['https://app.example.com'] }],
  ['an origin with a path', { kind: 'client', allowed_origins: ['https://app.example.com/x'] }],
  ['an origin without a scheme', { kind: 'client', allowed_origins: ['app.example.com'] }],
  ['an invalid address', { allowed_ips: ['10.0.0.256'] }],
  ['a number as an address', { allowed_ips: ['1'] }],
  ['a shortened address', { allowed_ips: ['10.0.1'] }],
  ['a range with a shortened address', { allowed_ips: ['10/8'] }],
  ['an invalid range', { allowed_ips: ['10.0.0.0/33'] }],
])('refuses %s', async (_, more) => {
  expect(await codeOf(create({ name: 'x', ...more }))).toBe('VALIDATION_ERROR');
});

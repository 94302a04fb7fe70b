import { afterEach, beforeEach, expect, test } from 'vitest';
import { generateKey } from '../src/publishing/key-format.ts';
import type { Api } from './api.ts';
import type { Body } from './api-call.ts';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
let api: Api;
let flagId: string;
let key: { id: string; key: string };

beforeEach(async () => {
  await start({ corsOrigins: ['https://app.example.com'] });
  flagId = (await api.flags.create(booleanFlag('dark-mode'))).id;
});
afterEach(() => server.close());

async function start(options: Parameters<typeof startServer>[0]): Promise<void> {
  server = await startServer(options);
  api = server.as('admin').in(server.environments.development);
  key = await newKey();
}

async function newKey(
  options: Partial<Body<'POST /environments/{environment_id}/api-keys'>> = {},
  environmentId = server.environments.development,
): Promise<{ id: string; key: string }> {
  const created = await api.apiKeys.create(environmentId, { name: 'test', ...options });
  return { id: created.id, key: created.key! };
}

/** Evaluates one flag. Returns its result, or the error. */
async function evaluate(flag = 'dark-mode', apiKey = key.key) {
  const context = { user_key: 'user-1', attributes: { plan: 'pro' } };
  const { body } = await server.withKey(apiKey).dataPlane.evaluate({ flags: [flag], context }).answer;
  return body.data?.evaluations[flag] ?? (body as unknown as { error: object }).error;
}

const ruleset = (headers: Record<string, string> = {}, apiKey = key.key) =>
  server.withKey(apiKey).dataPlane.ruleset({ headers }).answer;

test('serves a change from the moment it is acknowledged', async () => {
  expect(await evaluate()).toMatchObject({ value: false, reason: 'DISABLED' });
  for (const enabled of [true, false, true]) {
    await api.flags.toggle(flagId, enabled);
    expect(await evaluate()).toMatchObject({ reason: enabled ? 'DEFAULT' : 'DISABLED' });
  }
  const conditions = [{ attribute: 'plan', operator: 'is' as const, value: 'pro' }];
  const targeting_rules = [{ priority: 1, name: 'Pro', conditions, variation: 'on' }];
  await api.flags.update(flagId, { targeting_rules });
  expect(await evaluate()).toMatchObject({ value: true, reason: 'TARGETING_RULE', variation_key: 'on' });
});

test('acknowledges a change of a segment only once all flags that use the segment are served with the change', async () => {
  const value = 'long '.repeat(6_000);
  const variations = ['in', 'out'].map((name) => ({ key: name, name, value: `${name} ${value}` }));
  const ofPlan = (plan: string) => ({
    conditions: [{ attribute: 'plan', operator: 'is' as const, value: plan }],
  });
  const segment = await api.segments.create(server.projectId, {
    key: 'payers',
    name: 'Payers',
    ...ofPlan('none'),
  });
  const conditions = [{ attribute: '$segment', operator: 'is' as const, value: 'payers' }];
  for (let i = 0; i < 100; i++) {
    const rule = { priority: 1, name: 'Payers', conditions, variation: 'in' };
    const { id } = await api.flags.create({
      key: `long-${i}`,
      name: 'Long',
      flag_type: 'string',
      variations,
      default_variation: 'out',
    });
    await api.flags.update(id, { targeting_rules: [rule] });
    await api.flags.toggle(id, true);
  }
  for (const plan of ['pro', 'none', 'pro']) {
    await api.segments.update(segment.id, ofPlan(plan));
    const variation_key = plan === 'pro' ? 'in' : 'out';
    expect(await evaluate('long-99')).toMatchObject({ variation_key });
  }
});

test('changes the etag only when the contents change', async () => {
  const first = await ruleset();
  expect((await ruleset()).headers.etag).toBe(first.headers.etag);
  expect((await ruleset({ 'if-none-match': String(first.headers.etag) })).status).toBe(304);
  await api.flags.toggle(flagId, true);
  const second = await ruleset({ 'if-none-match': String(first.headers.etag) });
  expect(second.status).toBe(200);
  expect(second.body.data.version).toBeGreaterThan(first.body.data.version);
  expect(second.body.data.flags[0]).toMatchObject({ key: 'dark-mode', enabled: true });
});

test('serves an archived flag as disabled', async () => {
  await api.flags.archive(flagId);
  expect(await evaluate()).toMatchObject({ value: false, reason: 'DISABLED', variation_key: 'off' });
});

test('binds a key to its environment', async () => {
  const other = await newKey({}, server.environments.staging);
  await api.flags.toggle(flagId, true);
  expect(await evaluate('dark-mode', key.key)).toMatchObject({ reason: 'DEFAULT' });
  expect(await evaluate('dark-mode', other.key)).toMatchObject({ reason: 'DISABLED' });
});

test('refuses a key at once when it is revoked', async () => {
  expect(await evaluate()).toMatchObject({ reason: 'DISABLED' });
  await api.apiKeys.revoke(key.id);
  expect(await evaluate()).toMatchObject({ code: 'INVALID_API_KEY' });
});

test('refuses a key from the moment it expires', async () => {
  const brief = await newKey({ expires_at: '2026-11-20T10:05:00.000Z' });
  expect(await evaluate('dark-mode', brief.key)).toMatchObject({ reason: 'DISABLED' });
  server.advance(5 * 60_000);
  expect(await evaluate('dark-mode', brief.key)).toMatchObject({ code: 'INVALID_API_KEY' });
});

test('serves a client key only client-side flags', async () => {
  const client = await newKey({ kind: 'client' });
  await api.flags.create(booleanFlag('banner', { client_side: true }));
  expect(await evaluate('banner', client.key)).toMatchObject({ reason: 'DISABLED' });
  expect(await evaluate('dark-mode', client.key)).toMatchObject({ reason: 'FLAG_NOT_FOUND' });
  const { body } = await ruleset({}, client.key);
  expect(body.data.flags.map((flag) => flag.key)).toEqual(['banner']);
});

test('counts a batch only once if it is sent twice', async () => {
  const event = {
    type: 'summary' as const,
    start: '2026-11-20T09:59:00.000Z',
    end: '2026-11-20T10:00:00.000Z',
    counters: [
      {
        flag_key: 'dark-mode',
        variation_key: 'on',
        reason: 'DEFAULT' as const,
        rule_id: null,
        ruleset_version: 1,
        count: 5,
      },
    ],
  };
  const body = { batch_id: 'b1', sent_at: event.end, sdk: { name: 't', version: '1' }, events: [event] };
  const send = () => server.withKey(key.key).dataPlane.sendEvents(body);
  expect(await send()).toEqual({ batch_id: 'b1', accepted: 1, duplicates: 0, rejected: [] });
  expect(await send()).toMatchObject({ duplicate: true, accepted: 1 });
  const counters = await server.events
    .selectFrom('counters_hourly')
    .select(['environment_id', 'count'])
    .execute();
  expect(counters).toEqual([{ environment_id: server.environments.development, count: 5 }]);
});

test('evaluates and serves the ruleset from memory without a database', async () => {
  await evaluate();
  await ruleset();
  await server.db.destroy();
  expect(await evaluate()).toMatchObject({ reason: 'DISABLED' });
  expect((await ruleset()).status).toBe(200);
});

test('lets pages of an allowed origin read the ruleset and its headers', async () => {
  const answer = await ruleset({ origin: 'https://app.example.com' });
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': 'https://app.example.com' });
  expect(answer.headers['access-control-expose-headers']).toContain('ETag');
  expect(answer.headers.vary).toBe('Origin, X-API-Key, Accept, Accept-Encoding');
  const preflight = await server.app.inject({
    method: 'OPTIONS',
    url: '/api/v1/sdk/ruleset',
    headers: {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-api-key,if-none-match',
    },
  });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers['access-control-allow-headers']).toMatch(/x-api-key/i);
  expect((await ruleset({ origin: 'https://evil.example' })).headers).not.toHaveProperty(
    'access-control-allow-origin',
  );
});

test('counts the evaluations of all keys of an environment together', async () => {
  await server.close();
  await start({ limits: { auth: 1_000, management: 1_000, evaluation: 3 } });
  const other = await newKey();
  for (const one of [key, other, key]) {
    expect(await evaluate('x', one.key)).toMatchObject({ reason: 'FLAG_NOT_FOUND' });
  }
  expect(await evaluate('x', other.key)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});

test('limits the requests with unknown keys from an address, and does not count malformed keys', async () => {
  await server.close();
  await start({ limits: { auth: 1_000, credentials: 3 } });
  expect((await ruleset()).status).toBe(200);
  const statusesOf = async (keys: readonly string[]) => {
    const answers = [];
    for (const one of keys) answers.push((await ruleset({}, one)).status);
    return answers;
  };
  const mistyped = `${key.key.slice(0, -1)}${key.key.endsWith('a') ? 'b' : 'a'}`;
  expect(await statusesOf(Array(10).fill(mistyped))).toEqual(Array(10).fill(401));
  const guesses = Array.from({ length: 5 }, () => generateKey('development'));
  expect(await statusesOf(guesses)).toEqual([401, 401, 401, 429, 429]);
  expect((await ruleset()).status).toBe(200);
});

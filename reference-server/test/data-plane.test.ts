import { afterEach, beforeEach, expect, test } from 'vitest';
import { generateKey } from '../src/publishing/key-format.ts';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
let environment: string;
let flagId: string;
let key: { id: string; key: string };

beforeEach(async () => {
  server = await startServer({ corsOrigins: ['https://app.example.com'] });
  environment = server.environments.development;
  const { data } = (await admin('POST', `/flags?environment_id=${environment}`, booleanFlag('dark-mode')))
    .body;
  flagId = data.id;
  key = await newKey();
});
afterEach(() => server.close());

function admin(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) {
  return server.call({ method, url, token: server.tokens.admin, ...(body !== undefined && { body }) });
}

async function newKey(
  options: object = {},
  environmentId = environment,
): Promise<{ id: string; key: string }> {
  const answer = await admin('POST', `/environments/${environmentId}/api-keys`, { name: 'test', ...options });
  return answer.body.data;
}

async function evaluate(flag = 'dark-mode', apiKey = key.key) {
  const body = { flags: [flag], context: { user_key: 'user-1', attributes: { plan: 'pro' } } };
  const answer = await server.call({
    method: 'POST',
    url: '/evaluate',
    body,
    headers: { 'x-api-key': apiKey },
  });
  return answer.body.data?.evaluations[flag] ?? answer.body.error;
}

function ruleset(headers: Record<string, string> = {}) {
  return server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key.key, ...headers } });
}

test('serves a change from the moment it is acknowledged', async () => {
  const toggle = (enabled: boolean) =>
    admin('POST', `/flags/${flagId}/toggle?environment_id=${environment}`, { enabled });
  expect(await evaluate()).toMatchObject({ value: false, reason: 'DISABLED' });
  for (const enabled of [true, false, true]) {
    await toggle(enabled);
    expect(await evaluate()).toMatchObject({ reason: enabled ? 'DEFAULT' : 'DISABLED' });
  }
  const rule = {
    priority: 1,
    name: 'Pro',
    conditions: [{ attribute: 'plan', operator: 'is', value: 'pro' }],
  };
  await admin('PUT', `/flags/${flagId}?environment_id=${environment}`, {
    targeting_rules: [{ ...rule, variation: 'on' }],
  });
  expect(await evaluate()).toMatchObject({ value: true, reason: 'TARGETING_RULE', variation_key: 'on' });
});

test('acknowledges no change before all that it reaches is served', { timeout: 60_000 }, async () => {
  const value = 'long '.repeat(6_000);
  const variations = ['in', 'out'].map((name) => ({ key: name, name, value: `${name} ${value}` }));
  const segment = (plan: string) => ({ conditions: [{ attribute: 'plan', operator: 'is', value: plan }] });
  const projects = (await admin('GET', '/projects')).body.data;
  const made = await admin('POST', `/projects/${projects[0].id}/segments`, {
    key: 'payers',
    name: 'Payers',
    ...segment('none'),
  });
  const conditions = [{ attribute: '$segment', operator: 'is', value: 'payers' }];
  for (let i = 0; i < 100; i++) {
    const rule = { priority: 1, name: 'Payers', conditions, variation: 'in' };
    const flag = {
      key: `long-${i}`,
      name: 'Long',
      flag_type: 'string',
      variations,
      default_variation: 'out',
    };
    const { data } = (await admin('POST', `/flags?environment_id=${environment}`, flag)).body;
    await admin('PUT', `/flags/${data.id}?environment_id=${environment}`, { targeting_rules: [rule] });
    await admin('POST', `/flags/${data.id}/toggle?environment_id=${environment}`, { enabled: true });
  }
  for (const plan of ['pro', 'none', 'pro']) {
    await admin('PUT', `/segments/${made.body.data.id}`, segment(plan));
    const variation_key = plan === 'pro' ? 'in' : 'out';
    expect(await evaluate('long-99')).toMatchObject({ variation_key });
  }
});

test('changes the entity tag with the contents and with nothing else', async () => {
  const first = await ruleset();
  expect((await ruleset()).headers.etag).toBe(first.headers.etag);
  expect((await ruleset({ 'if-none-match': String(first.headers.etag) })).status).toBe(304);
  await admin('POST', `/flags/${flagId}/toggle?environment_id=${environment}`, { enabled: true });
  const second = await ruleset({ 'if-none-match': String(first.headers.etag) });
  expect(second.status).toBe(200);
  expect(second.body.data.version).toBeGreaterThan(first.body.data.version);
  expect(second.body.data.flags[0]).toMatchObject({ key: 'dark-mode', enabled: true });
});

test('keeps an archived flag, switched off', async () => {
  await admin('DELETE', `/flags/${flagId}?environment_id=${environment}`);
  expect(await evaluate()).toMatchObject({ value: false, reason: 'DISABLED', variation_key: 'off' });
});

test('binds a key to its environment', async () => {
  const other = await newKey({}, server.environments.staging);
  await admin('POST', `/flags/${flagId}/toggle?environment_id=${environment}`, { enabled: true });
  expect(await evaluate('dark-mode', key.key)).toMatchObject({ reason: 'DEFAULT' });
  expect(await evaluate('dark-mode', other.key)).toMatchObject({ reason: 'DISABLED' });
});

test('refuses a key at once when it is revoked', async () => {
  expect(await evaluate()).toMatchObject({ reason: 'DISABLED' });
  await admin('DELETE', `/api-keys/${key.id}`);
  expect(await evaluate()).toMatchObject({ code: 'INVALID_API_KEY' });
});

test('refuses a key from the moment it expires', async () => {
  const brief = await newKey({ expires_at: '2026-11-20T10:05:00.000Z' });
  expect(await evaluate('dark-mode', brief.key)).toMatchObject({ reason: 'DISABLED' });
  server.advance(5 * 60_000);
  expect(await evaluate('dark-mode', brief.key)).toMatchObject({ code: 'INVALID_API_KEY' });
});

test('shows a client key nothing but client-side flags', async () => {
  const client = await newKey({ kind: 'client' });
  await admin('POST', `/flags?environment_id=${environment}`, booleanFlag('banner', { client_side: true }));
  expect(await evaluate('banner', client.key)).toMatchObject({ reason: 'DISABLED' });
  expect(await evaluate('dark-mode', client.key)).toMatchObject({ reason: 'FLAG_NOT_FOUND' });
  const { body } = await server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': client.key } });
  expect(body.data.flags.map((flag: { key: string }) => flag.key)).toEqual(['banner']);
});

test('counts a batch once, however often it comes', async () => {
  const event = {
    type: 'summary',
    start: '2026-11-20T09:59:00.000Z',
    end: '2026-11-20T10:00:00.000Z',
    counters: [
      {
        flag_key: 'dark-mode',
        variation_key: 'on',
        reason: 'DEFAULT',
        rule_id: null,
        ruleset_version: 1,
        count: 5,
      },
    ],
  };
  const body = { batch_id: 'b1', sent_at: event.end, sdk: { name: 't', version: '1' }, events: [event] };
  const send = () =>
    server.call({ method: 'POST', url: '/sdk/events', body, headers: { 'x-api-key': key.key } });
  expect((await send()).body.data).toEqual({ batch_id: 'b1', accepted: 1, duplicates: 0, rejected: [] });
  expect((await send()).body.data).toMatchObject({ duplicate: true, accepted: 1 });
  const counters = await server.db
    .selectFrom('counters_hourly')
    .select(['environment_id', 'count'])
    .execute();
  expect(counters).toEqual([{ environment_id: environment, count: 5 }]);
});

test('answers from memory: a broken database stops neither evaluation nor the ruleset', async () => {
  await evaluate();
  await ruleset();
  await server.db.destroy();
  expect(await evaluate()).toMatchObject({ reason: 'DISABLED' });
  expect((await ruleset()).status).toBe(200);
});

test('lets a page of an allowed origin read what it needs', async () => {
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

test('counts evaluations by environment, over all its keys', async () => {
  await server.close();
  server = await startServer({ limits: { auth: 1_000, management: 1_000, evaluation: 3 } });
  environment = server.environments.development;
  const keys = [await newKey(), await newKey()];
  for (const index of [0, 1, 0]) {
    expect(await evaluate('x', keys[index]!.key)).toMatchObject({ reason: 'FLAG_NOT_FOUND' });
  }
  expect(await evaluate('x', keys[1]!.key)).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});

test('limits well-formed keys that nobody has by address; others cost no query and are not counted', async () => {
  await server.close();
  server = await startServer({ limits: { auth: 1_000, credentials: 3 } });
  environment = server.environments.development;
  key = await newKey();
  expect((await ruleset()).status).toBe(200);
  const statusesOf = async (keys: readonly string[]) => {
    const answers = [];
    for (const one of keys) answers.push((await ruleset({ 'x-api-key': one })).status);
    return answers;
  };
  const mistyped = `${key.key.slice(0, -1)}${key.key.endsWith('a') ? 'b' : 'a'}`;
  expect(await statusesOf(Array(10).fill(mistyped))).toEqual(Array(10).fill(401));
  const guesses = Array.from({ length: 5 }, () => generateKey('development'));
  expect(await statusesOf(guesses)).toEqual([401, 401, 401, 429, 429]);
  expect((await ruleset()).status).toBe(200);
});

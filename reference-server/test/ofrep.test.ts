import type { AddressInfo } from 'node:net';
import { createNodeClient } from '@flagsvc/sdk-node';
import { createOpenFeatureProvider } from '@flagsvc/sdk-node/openfeature';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as ServerSdk } from '@openfeature/server-sdk';
import { OpenFeature as WebSdk } from '@openfeature/web-sdk';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Body } from './api-call.ts';
import { booleanFlag, type FlagBody, startServer, type TestServer } from './server.ts';
import { openStream } from './stream.ts';

let server: TestServer;
let base: string;
let keys: { server: string; client: string };

beforeEach(async () => {
  server = await startServer();
  const { flags, apiKeys } = server.as('admin');
  const flag = async (body: FlagBody, more: Body<'PUT /flags/{flag_id}'>, enabled = true) => {
    const { id } = await flags.create(body);
    await flags.update(id, more);
    if (enabled) await flags.toggle(id, true);
  };
  const plan = { attribute: 'plan', operator: 'is' as const, value: 'pro' };
  await flag(booleanFlag('rule', { client_side: true }), {
    targeting_rules: [{ priority: 1, name: 'pro', conditions: [plan], variation: 'on' }],
  });
  await flag(booleanFlag('split'), {
    targeting_rules: [
      {
        priority: 1,
        name: 'all',
        conditions: [],
        percentage_rollout: [{ variation: 'on', percentage: 100 }],
      },
    ],
  });
  await flag(booleanFlag('static', { client_side: true }), {});
  await flag(booleanFlag('off'), {}, false);
  await flag(booleanFlag('needs'), { prerequisites: [{ flag_key: 'off', variation: 'on' }] });
  await flag(
    {
      key: 'theme',
      name: 'Theme',
      flag_type: 'json',
      variations: [{ key: 'a', name: 'A', value: { color: 'red' } }],
      default_variation: 'a',
    },
    {},
  );
  const keyOf = async (kind: 'server' | 'client') =>
    (await apiKeys.create(server.environments.production, { name: kind, kind })).key!;
  keys = { server: await keyOf('server'), client: await keyOf('client') };
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await ServerSdk.close();
  await WebSdk.close();
  await server.close();
});

/** Sends an OFREP request over a socket. */
const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${base}/ofrep/v1${path}`, {
    method: 'POST',
    headers: { 'x-api-key': keys.server, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
};
const context = { targetingKey: 'u1', plan: 'pro' };

test("OpenFeature's OFREP provider for servers gets values, reasons and errors", async () => {
  const headers = { Authorization: `Bearer ${keys.server}` };
  await ServerSdk.setProviderAndWait(new OFREPProvider({ baseUrl: base, headers }));
  const client = ServerSdk.getClient();
  expect(await client.getBooleanDetails('rule', false, context)).toMatchObject({
    value: true,
    reason: 'TARGETING_MATCH',
    variant: 'on',
    flagMetadata: { flagsvc_reason: 'TARGETING_RULE' },
  });
  expect(await client.getBooleanDetails('rule', true, { targetingKey: 'u1' })).toMatchObject({
    value: false,
    reason: 'UNKNOWN',
    flagMetadata: { flagsvc_reason: 'DEFAULT' },
  });
  expect(await client.getBooleanDetails('split', false, context)).toMatchObject({
    value: true,
    reason: 'SPLIT',
  });
  expect(await client.getBooleanDetails('static', true, context)).toMatchObject({
    value: false,
    reason: 'STATIC',
  });
  expect(await client.getBooleanDetails('off', true, context)).toMatchObject({
    value: false,
    reason: 'DISABLED',
  });
  expect(await client.getObjectValue('theme', {}, context)).toEqual({ color: 'red' });
  expect(await client.getBooleanDetails('unknown', true, context)).toMatchObject({
    value: true,
    errorCode: 'FLAG_NOT_FOUND',
  });
  expect(await client.getBooleanDetails('rule', true, {})).toMatchObject({
    errorCode: 'TARGETING_KEY_MISSING',
  });
  expect(await client.getStringDetails('rule', 'x', context)).toMatchObject({
    value: 'x',
    errorCode: 'TYPE_MISMATCH',
  });
});

test("OFREP answers with the value, variant, reason and metadata that this project's own provider returns", async () => {
  const flags = createNodeClient({ apiKey: keys.server, baseUrl: `${base}/api/v1`, logger: false });
  onTestFinished(() => flags.close());
  await ServerSdk.setProviderAndWait(createOpenFeatureProvider(flags));
  const client = ServerSdk.getClient();
  const contexts = [context, { targetingKey: 'u1' }, { targetingKey: 'u2', plan: 'pro' }];
  const reasons = new Set<string>();
  for (const given of contexts)
    for (const key of ['rule', 'split', 'static', 'off', 'needs', 'theme']) {
      const method = key === 'theme' ? 'getObjectDetails' : 'getBooleanDetails';
      const own = await client[method as 'getObjectDetails'](
        key,
        (key === 'theme' ? {} : true) as never,
        given,
      );
      const { body } = await post(`/evaluate/flags/${key}`, { context: given });
      // OFREP defines no reason code for the default value of a flag that has rules.
      const reason = own.reason === 'DEFAULT' ? 'UNKNOWN' : own.reason;
      expect(body).toEqual({
        key,
        value: own.value,
        variant: own.variant,
        reason,
        metadata: own.flagMetadata,
      });
      expect(own.flagMetadata).toMatchObject({
        version: flags.stats().rulesetVersion,
        environment_id: server.environments.production,
        flagSetId: server.environments.production,
        flag_type: key === 'theme' ? 'json' : 'boolean',
      });
      reasons.add(`${own.reason} ${own.flagMetadata['flagsvc_reason']}`);
    }
  expect([...reasons].sort()).toEqual([
    'DEFAULT DEFAULT',
    'DEFAULT PREREQUISITE',
    'DISABLED DISABLED',
    'SPLIT PERCENTAGE_ROLLOUT',
    'STATIC DEFAULT',
    'TARGETING_MATCH TARGETING_RULE',
  ]);
});

test("OpenFeature's OFREP provider for pages gets only the flags of its client key", async () => {
  await WebSdk.setContext(context);
  const provider = new OFREPWebProvider({
    baseUrl: base,
    headers: [['X-API-Key', keys.client]],
    pollInterval: 0,
  });
  await WebSdk.setProviderAndWait(provider as never);
  const client = WebSdk.getClient();
  expect(client.getBooleanDetails('rule', false)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
  expect(client.getBooleanDetails('split', false)).toMatchObject({
    value: false,
    errorCode: 'FLAG_NOT_FOUND',
  });
  await WebSdk.setContext({ targetingKey: 'u1', plan: 'free' });
  expect(client.getBooleanValue('rule', true)).toBe(false);
});

test('the entity tag of a bulk evaluation depends on the version, the context and the key', async () => {
  const first = await post('/evaluate/flags', { context });
  expect(first.body.flags.map((flag: { key: string }) => flag.key)).toEqual([
    'needs',
    'off',
    'rule',
    'split',
    'static',
    'theme',
  ]);
  expect(first.body.metadata.version).toEqual(expect.any(Number));
  const etag = first.headers.get('etag')!;
  const again = (more: object = {}, headers: object = {}) =>
    post('/evaluate/flags', { context: { ...context, ...more } }, { 'if-none-match': etag, ...headers });
  expect([(await again()).status, (await again()).body]).toEqual([304, undefined]);
  expect((await again({ plan: 'free' })).status).toBe(200);
  expect((await again({}, { 'x-api-key': keys.client })).status).toBe(200);
  // The order of attributes does not matter.
  const reordered = await post(
    '/evaluate/flags',
    { context: { plan: 'pro', targetingKey: 'u1' } },
    { 'if-none-match': etag },
  );
  expect(reordered.status).toBe(304);
});

test('a stream whose URL contains a token tells pages when to fetch again', async () => {
  const { body } = await post('/evaluate/flags', { context }, { 'x-api-key': keys.client });
  const [{ type, endpoint }] = body.eventStreams;
  expect(type).toBe('sse');
  expect(endpoint.requestUri).not.toContain(keys.client);
  const stream = await openStream(`${base}${endpoint.requestUri}`);
  expect(stream.status).toBe(200);
  const { flags } = server.as('admin');
  await flags.toggle((await flags.getByKey('rule')).id, false);
  const { event, data } = await stream.next();
  expect(event).toBe('message');
  expect(data).toEqual({
    type: 'refetchEvaluation',
    etag: expect.stringMatching(/^W\//),
    lastModified: expect.any(Number),
  });
  stream.close();
  const forged = `${endpoint.requestUri.slice(0, -4)}AAAA`;
  expect((await openStream(`${base}${forged}`)).status).toBe(401);
  expect((await openStream(`${base}/ofrep/v1/stream`)).status).toBe(401);
  server.advance(3_600_001);
  expect((await openStream(`${base}${endpoint.requestUri}`)).status).toBe(401);
});

test('streams enforce the allowed origins and addresses of their API key', async () => {
  const { production } = server.environments;
  for (const [restriction, place] of [
    [{ allowed_origins: ['https://shop.example'] }, 'origin'],
    [{ allowed_ips: ['192.0.2.0/24'] }, 'address'],
  ] as const) {
    const { key } = await server
      .as('admin')
      .apiKeys.create(production, { name: place, kind: 'client', ...restriction });
    const evaluated = await server.app.inject({
      method: 'POST',
      url: '/ofrep/v1/evaluate/flags',
      remoteAddress: '192.0.2.7',
      headers: { 'x-api-key': key! },
      payload: { context },
    });
    const { requestUri } = evaluated.json().eventStreams[0].endpoint;
    const stream = await openStream(`${base}${requestUri}`, { origin: 'https://evil.example' });
    expect(stream.status).toBe(403);
    expect((await stream.body()).errorDetails).toBe(`The API key may not be used from this ${place}.`);
  }
});

test.each([
  ['broken JSON', '{broken', 'PARSE_ERROR'],
  ['a list', '[]', 'INVALID_CONTEXT'],
  ['a number', '1', 'PARSE_ERROR'],
  ['no context', {}, 'INVALID_CONTEXT'],
  ['a list as context', { context: [] }, 'INVALID_CONTEXT'],
  ['a targeting key above the limit', { context: { targetingKey: 'x'.repeat(4_097) } }, 'INVALID_CONTEXT'],
  [
    'a list of more than 1,000 items',
    { context: { targetingKey: 'u', tags: Array(1_001).fill('x') } },
    'INVALID_CONTEXT',
  ],
  [
    'more than 1,001 attributes',
    { context: Object.fromEntries(Array.from({ length: 1_002 }, (_, i) => [i, i])) },
    'INVALID_CONTEXT',
  ],
  ['no targeting key', { context: {} }, 'TARGETING_KEY_MISSING'],
  ['a number as targeting key', { context: { targetingKey: 7 } }, 'TARGETING_KEY_MISSING'],
])('a body with %s is refused with an error code of OFREP', async (_, body, errorCode) => {
  const one = await post('/evaluate/flags/rule', body);
  expect([one.status, one.body.key, one.body.errorCode]).toEqual([400, 'rule', errorCode]);
  const bulk = await post('/evaluate/flags', body);
  expect([bulk.status, bulk.body.errorCode]).toEqual([400, errorCode]);
  expect(bulk.body).not.toHaveProperty('error');
});

test.each(['/evaluate/flags', '/evaluate/flags/rule'])(
  '%s refuses a context that is nested too deep',
  async (path) => {
    const deep = `{"context":{"targetingKey":"u1","x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    const { status, body } = await post(path, deep);
    expect([status, body.errorDetails]).toEqual([400, 'The body must not be nested deeper than 32.']);
  },
);

test('a flag key above the length limit is not found', async () => {
  const key = 'x'.repeat(500);
  const { status, body } = await post(`/evaluate/flags/${key}`, { context });
  expect([status, body.key, body.errorCode]).toEqual([404, key, 'FLAG_NOT_FOUND']);
});

test('the refusal of another content type names application/json', async () => {
  const { status, body } = await post('/evaluate/flags', 'x', { 'content-type': 'text/plain' });
  expect([status, body.errorDetails]).toEqual([415, 'The body must be sent as application/json.']);
});

test('a body above the size limit is refused', async () => {
  const { status, body } = await post('/evaluate/flags', {
    context: { targetingKey: 'u1', x: 'y'.repeat(1_100_000) },
  });
  expect([status, body.errorCode]).toEqual([413, 'PARSE_ERROR']);
});

test('invalid API keys are refused, and requests count towards the evaluations of the environment', async () => {
  for (const headers of [{ 'x-api-key': 'sdk-prod-unknown' }, { 'x-api-key': '' }]) {
    const { status, body } = await post('/evaluate/flags/rule', { context }, headers);
    expect([status, body.errorCode]).toEqual([401, 'GENERAL']);
  }
  const { headers } = await post('/evaluate/flags/rule', { context });
  expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(Number(headers.get('x-ratelimit-limit')));
});

test.each([
  [
    'GET',
    '/evaluate/flags/rule',
    405,
    'POST, OPTIONS',
    'This path does not support GET; it supports POST, OPTIONS.',
  ],
  [
    'PUT',
    '/evaluate/flags',
    405,
    'POST, OPTIONS',
    'This path does not support PUT; it supports POST, OPTIONS.',
  ],
  ['POST', '/stream', 405, 'GET, OPTIONS', 'This path does not support POST; it supports GET, OPTIONS.'],
  ['GET', '/nothing', 404, undefined, 'There is nothing here; /docs lists the API.'],
])('%s %s is refused with the error body of OFREP', async (method, path, status, allow, errorDetails) => {
  const answer = await server.app.inject({ method: method as 'GET', url: `/ofrep/v1${path}` });
  expect([answer.statusCode, answer.headers.allow]).toEqual([status, allow]);
  expect(answer.json()).toEqual({ errorCode: 'GENERAL', errorDetails });
});

test('names of built-in object properties are unknown as flag keys and harmless in contexts', async () => {
  for (const key of ['__proto__', 'constructor', 'toString', encodeURIComponent('a/b')]) {
    expect((await post(`/evaluate/flags/${key}`, { context })).status).toBe(404);
  }
  const { status } = await post(
    '/evaluate/flags/rule',
    '{"context":{"targetingKey":"u1","__proto__":{"plan":"pro"}}}',
  );
  expect(status).toBe(200);
});

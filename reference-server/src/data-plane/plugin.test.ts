import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { EventBatch, Ruleset } from '@flagsvc/sdk-core';
import { decode, encode } from '@msgpack/msgpack';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRateLimiter } from '../http/rate-limit.ts';
import { clientRuleset } from '../publishing/compile.ts';
import { dataPlanePlugin } from './plugin.ts';
import type { BatchReceipt, KeyGrant, KeyKind, PublishedRuleset } from './ports.ts';
import { createServingPath } from './serving-path.ts';

const NOW = Date.parse('2026-11-20T10:00:00.123Z');

const ruleset: Ruleset = {
  version: 7,
  environment_id: 'env_1',
  flags: [
    {
      key: 'dark-mode',
      flag_type: 'boolean',
      enabled: true,
      variations: [
        { key: 'on', value: true },
        { key: 'off', value: false },
      ],
      default_variation: 'off',
      targeting_rules: [
        {
          id: 'rule_1',
          priority: 1,
          conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
          variation: 'on',
        },
      ],
      client_side: true,
    },
    {
      key: 'secret',
      flag_type: 'json',
      enabled: false,
      variations: [{ key: 'a', value: { text: 'x'.repeat(2_000) } }],
      default_variation: 'a',
      targeting_rules: [],
    },
  ],
  segments: [
    { id: 'seg_1', key: 'staff', conditions: [{ attribute: '__proto__', operator: 'is', value: 'yes' }] },
    { id: 'seg_2', key: 'unused', conditions: [] },
  ],
  fetched_at: '2026-11-20T09:59:00.000Z',
};

const GRANTS: Record<string, KeyKind> = { 'sdk-dev-server': 'server', 'sdk-dev-client': 'client' };

let app: FastifyInstance;
let published: PublishedRuleset;
let publishedToClients: PublishedRuleset;
let batches: { grant: KeyGrant; batch: EventBatch; receipt: BatchReceipt }[];
let metered: (readonly [organizationId: string, what: string, count: number])[];

beforeEach(async () => {
  batches = [];
  metered = [];
  const { prepare } = createServingPath({ fast: false });
  published = await prepare(ruleset, 'epoch');
  publishedToClients = await prepare(clientRuleset(ruleset), 'epoch');
  app = Fastify();
  app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    now: () => NOW,
    limiter: createRateLimiter({ limits: { ruleset: 3 } }),
    lookup: {
      authenticate: (apiKey) => {
        const kind = Object.hasOwn(GRANTS, apiKey) ? GRANTS[apiKey] : undefined;
        if (kind === undefined) return undefined;
        return { keyId: kind, kind, environmentId: 'env_1', projectId: 'prj_1', organizationId: 'org_1' };
      },
      current: (grant) => (grant.kind === 'client' ? publishedToClients : Promise.resolve(published)),
      subscribe: () => () => {},
    },
    sink: {
      accept(grant, batch, rejected) {
        const receipt = { batch_id: batch.batch_id, accepted: batch.events.length, duplicates: 0, rejected };
        const known = batches.some((one) => one.batch.batch_id === batch.batch_id);
        batches.push({ grant, batch, receipt });
        return known ? { ...receipt, duplicate: true } : receipt;
      },
    },
    meter: {
      recordEvaluations: ({ organizationId }, flags) => metered.push([organizationId, 'evaluations', flags]),
      recordEvents: ({ organizationId }, { events }) =>
        metered.push([organizationId, 'events', events.length]),
    },
  });
});
afterEach(() => app.close());

function evaluate(payload: unknown, key = 'sdk-dev-server', headers: Record<string, string> = {}) {
  return app.inject({
    method: 'POST',
    url: '/api/v1/evaluate',
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload),
  });
}

function fetchRuleset(headers: Record<string, string> = {}) {
  return app.inject({ url: '/api/v1/sdk/ruleset', headers: { 'x-api-key': 'sdk-dev-server', ...headers } });
}

function sendEvents(payload: string | Buffer, headers: Record<string, string> = {}) {
  return app.inject({
    method: 'POST',
    url: '/api/v1/sdk/events',
    headers: { 'x-api-key': 'sdk-dev-client', 'content-type': 'application/json', ...headers },
    payload,
  });
}

const off = { value: false, reason: 'DEFAULT', rule_id: null, variation_key: 'off' };
const disabled = {
  value: { text: 'x'.repeat(2_000) },
  reason: 'DISABLED',
  rule_id: null,
  variation_key: 'a',
};
const notFound = { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };

test('evaluates each requested flag once, with the time', async () => {
  const answer = await evaluate({ flags: ['dark-mode', 'no"pe', 'dark-mode'], context: { user_key: 'u' } });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.payload.match(/"dark-mode"/g)).toHaveLength(1);
  expect(answer.json()).toEqual({
    data: { evaluations: { 'dark-mode': off, 'no"pe': notFound }, evaluated_at: '2026-11-20T10:00:00.123Z' },
  });
});

test('evaluates every flag for ["*"], and only the visible ones for a client key', async () => {
  const all = await evaluate({ flags: ['*'], context: { user_key: 'u' } });
  expect(all.json().data.evaluations).toEqual({ 'dark-mode': off, secret: disabled });
  const visible = await evaluate({ flags: ['*'], context: { user_key: 'u' } }, 'sdk-dev-client');
  expect(visible.json().data.evaluations).toEqual({ 'dark-mode': off });
  const hidden = await evaluate({ flags: ['secret'], context: { user_key: 'u' } }, 'sdk-dev-client');
  expect(hidden.json().data.evaluations).toEqual({ secret: notFound });
});

test('evaluates every flag for "*" among other keys, and reports unknown keys', async () => {
  const asked = async (...flags: string[]) =>
    (await evaluate({ flags, context: { user_key: 'u' } })).json().data.evaluations;
  const every = { 'dark-mode': off, secret: disabled };
  expect(await asked('*', 'nope', 'secret', '*')).toEqual({ ...every, nope: notFound });
  expect(await asked('secret', '*')).toEqual(every);
});

test('meters evaluated flags and the valid events of each new batch', async () => {
  await evaluate({ flags: ['dark-mode', 'dark-mode'], context: { user_key: 'u' } });
  await evaluate({ flags: ['*'], context: { user_key: 'u' } });
  await evaluate({ flags: ['*'], context: {} });
  const events = [
    { type: 'track', id: 'a', timestamp: '2026-11-20T10:00:00Z', event_name: 'buy', user_key: 'u' },
    {},
  ];
  const batch = JSON.stringify({
    batch_id: 'b',
    sent_at: '2026-11-20T10:00:00Z',
    sdk: { name: 'x', version: '1' },
    events,
  });
  for (const _ of [1, 2]) expect((await sendEvents(batch)).statusCode).toBe(202);
  expect(metered).toEqual([
    ['org_1', 'evaluations', 1],
    ['org_1', 'evaluations', 2],
    ['org_1', 'events', 1],
  ]);
});

test('returns no results for no flags', async () => {
  const answer = await evaluate({ flags: [], context: { user_key: 'u' } });
  expect(answer.json().data.evaluations).toEqual({});
});

test('treats __proto__ as an ordinary name of attributes and flags', async () => {
  const answer = await evaluate(
    '{"flags":["dark-mode","__proto__"],"context":{"user_key":"u","attributes":{"__proto__":"yes"}}}',
  );
  expect(answer.json().data.evaluations['dark-mode']).toMatchObject({
    reason: 'TARGETING_RULE',
    rule_id: 'rule_1',
  });
  expect(answer.payload).toContain('"__proto__":{"value":null,"reason":"FLAG_NOT_FOUND"');
});

test.each([
  [{ flags: ['a'], context: {} }, 'context.user_key', 'required'],
  [{ flags: ['a'] }, 'context', 'required'],
  [{ context: { user_key: 'u' } }, 'flags', 'required'],
  [{ flags: 'a', context: { user_key: 'u' } }, 'flags', 'type'],
  [{ flags: [1], context: { user_key: 'u' } }, 'flags.0', 'type'],
  [{ flags: ['a'], context: { user_key: 7 } }, 'context.user_key', 'type'],
  [{ flags: ['a'], context: { user_key: null } }, 'context.user_key', 'type'],
  [{ flags: ['a'], context: { user_key: 'u', attributes: [] } }, 'context.attributes', 'type'],
  [[], '', 'type'],
])('refuses the body %j without coercing it', async (body, field, code) => {
  const answer = await evaluate(body);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.code).toBe('VALIDATION_ERROR');
  expect(answer.json().error.details.fields).toContainEqual(
    expect.objectContaining({ field, location: 'body', code }),
  );
});

test('reports broken JSON, an empty body, a wrong content type and a large body', async () => {
  const codeOf = async (answer: ReturnType<typeof evaluate>) => {
    const { statusCode, json } = await answer;
    return [statusCode, json().error.code];
  };
  expect(await codeOf(evaluate('{"flags":'))).toEqual([400, 'MALFORMED_JSON']);
  expect(await codeOf(evaluate(''))).toEqual([400, 'MALFORMED_JSON']);
  const request = { method: 'POST', url: '/api/v1/evaluate', payload: 'x' } as const;
  for (const type of ['text/plain', 'application/msgpack', 'application/xml']) {
    const headers = { 'x-api-key': 'sdk-dev-server', 'content-type': type };
    expect(await codeOf(app.inject({ ...request, headers }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
  const large = { flags: ['a'], context: { user_key: 'u', attributes: { text: 'x'.repeat(1_100_000) } } };
  expect(await codeOf(evaluate(large))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

test('refuses deeply nested attributes before anything walks them', async () => {
  const asked = (depth: number) => {
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    return evaluate(`{"flags":["*"],"context":{"user_key":"u","attributes":{"__proto__":${deep}}}}`);
  };
  expect((await asked(29)).statusCode).toBe(200);
  for (const depth of [30, 100_000]) {
    const answer = await asked(depth);
    expect([answer.statusCode, answer.json().error.details.fields[0].code]).toEqual([400, 'maxDepth']);
  }
});

test('reports too many attributes as a limit, not as a validation error', async () => {
  const attributes = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`a${index}`, 1]));
  const answer = await evaluate({ flags: ['*'], context: { user_key: 'u', attributes } });
  expect([answer.statusCode, answer.json().error]).toMatchObject([
    422,
    {
      code: 'LIMIT_EXCEEDED',
      message: 'A limit is exceeded: context.attributes must have at most 1000 entries.',
      details: { field: 'context.attributes', limit: 'maxProperties', maximum: 1_000 },
    },
  ]);
});

test('limits the items of a list, all of which each condition reads', async () => {
  const asked = (items: number) =>
    evaluate({ flags: [], context: { user_key: 'u', attributes: { a: 1, tags: Array(items).fill('x') } } });
  expect((await asked(1_000)).statusCode).toBe(200);
  expect((await asked(1_001)).json().error).toEqual({
    code: 'LIMIT_EXCEEDED',
    message: 'A limit is exceeded: at most 1000 items in context.attributes.tags.',
    details: { limit: 'items', maximum: 1_000, field: 'context.attributes.tags' },
  });
});

test('counts flags before it validates them', async () => {
  const flags = Array(10_001).fill(0);
  const answer = await evaluate({ flags, context: 'none' });
  expect(answer.json().error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { field: 'flags' } });
});

test('names unknown fields, or refuses them for strict callers', async () => {
  const body = { flags: ['dark-mode'], context: { user_key: 'u', plan: 'pro' }, note: 1 };
  const lenient = await evaluate(body);
  expect([lenient.statusCode, lenient.headers['x-flagsvc-ignored-fields']]).toEqual([
    200,
    'context.plan, note',
  ]);
  const strict = await evaluate(body, 'sdk-dev-server', { prefer: 'handling=strict' });
  expect(strict.statusCode).toBe(400);
  expect(strict.json().error.details.fields).toMatchObject([{ field: 'context.plan' }, { field: 'note' }]);
});

test('refuses bodies in other encodings than UTF-8', async () => {
  const body = Buffer.from('{"flags":["dark-mode"],"context":{"user_key":"M\xfcller"}}', 'latin1');
  const bytes = await evaluate(body);
  expect([bytes.statusCode, bytes.json().error]).toMatchObject([400, { code: 'MALFORMED_JSON' }]);
  const plain = { flags: ['dark-mode'], context: { user_key: 'u' } };
  const typed = (type: string) => evaluate(plain, 'sdk-dev-server', { 'content-type': type });
  expect((await typed('application/json; charset=iso-8859-1')).statusCode).toBe(415);
  expect((await typed('application/json;charset="UTF-8"')).statusCode).toBe(200);
});

test.each(['/api/v1/evaluate', '/api/v1/sdk/ruleset', '/api/v1/sdk/events'])(
  'requires an API key for %s',
  async (url) => {
    const method = url.endsWith('ruleset') ? 'GET' : 'POST';
    const none = await app.inject({ method, url });
    expect([none.statusCode, none.json().error.code]).toEqual([401, 'UNAUTHENTICATED']);
    const token = await app.inject({ method, url, headers: { authorization: 'Bearer x.y.z' } });
    expect([token.statusCode, token.json().error.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(token.json().error.message).toContain('X-API-Key');
    const wrong = await app.inject({ method, url, headers: { 'x-api-key': 'toString' } });
    expect([wrong.statusCode, wrong.json().error.code]).toEqual([401, 'INVALID_API_KEY']);
  },
);

test('sends the ruleset with its entity tag, cache headers and limits', async () => {
  const answer = await fetchRuleset();
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ data: ruleset });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-cache',
    vary: 'X-API-Key, Accept, Accept-Encoding',
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '2',
  });
  expect(answer.headers.etag).toMatch(/^W\/"7-[0-9a-f]{16}"$/);
});

test('answers every form of a matching If-None-Match with 304 and all headers', async () => {
  for (const tag of [published.etag, `"old", ${published.etag}`, published.etag.slice(2)]) {
    const answer = await fetchRuleset({ 'if-none-match': tag });
    expect([answer.statusCode, answer.payload]).toEqual([304, '']);
    expect(answer.headers).toMatchObject({ etag: published.etag, 'cache-control': 'private, no-cache' });
    expect(answer.headers).toHaveProperty('vary');
    expect(answer.headers).toHaveProperty('x-ratelimit-reset');
  }
});

test('sends MessagePack on request', async () => {
  const answer = await fetchRuleset({ accept: 'application/msgpack' });
  expect(answer.headers['content-type']).toBe('application/msgpack');
  expect(decode(answer.rawPayload)).toEqual({ data: ruleset });
  const preferred = await fetchRuleset({ accept: 'application/msgpack;q=0.5, application/json' });
  expect(preferred.json()).toEqual({ data: ruleset });
});

test('sends the same bytes compressed', async () => {
  const br = await fetchRuleset({ 'accept-encoding': 'gzip, deflate, br' });
  expect(br.headers['content-encoding']).toBe('br');
  expect(JSON.parse(brotliDecompressSync(br.rawPayload).toString())).toEqual({ data: ruleset });
  const gz = await fetchRuleset({ 'accept-encoding': 'gzip', accept: 'application/msgpack' });
  expect(gz.headers['content-encoding']).toBe('gzip');
  expect(decode(gunzipSync(gz.rawPayload))).toEqual({ data: ruleset });
});

test('shows a client key only what it may see', async () => {
  const answer = await app.inject({ url: '/api/v1/sdk/ruleset', headers: { 'x-api-key': 'sdk-dev-client' } });
  expect(answer.json().data.flags.map((flag: { key: string }) => flag.key)).toEqual(['dark-mode']);
  expect(answer.json().data.segments.map((segment: { key: string }) => segment.key)).toEqual(['staff']);
  expect(answer.headers.etag).not.toBe(published.etag);
});

test('limits the polls of a key, 304 included, and says when to retry', async () => {
  const headers = { 'if-none-match': published.etag };
  for (const remaining of ['2', '1', '0']) {
    const answer = await fetchRuleset(headers);
    expect(answer.statusCode).toBe(304);
    expect(answer.headers['x-ratelimit-remaining']).toBe(remaining);
  }
  const refused = await fetchRuleset(headers);
  expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(refused.headers).toMatchObject({
    'retry-after': '60',
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '0',
  });
  expect(Number(refused.headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000);
  const other = await app.inject({ url: '/api/v1/sdk/ruleset', headers: { 'x-api-key': 'sdk-dev-client' } });
  expect(other.statusCode).toBe(200);
});

const exposure = {
  type: 'exposure',
  id: '1',
  timestamp: '2026-11-20T10:00:00.000Z',
  flag_key: 'dark-mode',
  variation_key: 'on',
  reason: 'TARGETING_RULE',
  rule_id: 'rule_1',
  user_key: 'u',
  ruleset_version: 7,
};
const envelope = { batch_id: 'b1', sent_at: '2026-11-20T10:00:00.000Z', sdk: { name: 't', version: '1' } };

test.each([
  ['JSON', (body: unknown) => Buffer.from(JSON.stringify(body)), {}],
  ['MessagePack', (body: unknown) => Buffer.from(encode(body)), { 'content-type': 'application/msgpack' }],
  ['gzipped JSON', (body: unknown) => gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' }],
  [
    'gzipped MessagePack',
    (body: unknown) => gzipSync(encode(body)),
    { 'content-type': 'application/msgpack', 'content-encoding': 'gzip' },
  ],
])('accepts a batch as %s', async (_name, write, headers) => {
  const answer = await sendEvents(write({ ...envelope, events: [exposure] }), headers);
  expect(answer.statusCode).toBe(202);
  expect(answer.json()).toEqual({ data: { batch_id: 'b1', accepted: 1, duplicates: 0, rejected: [] } });
  expect(batches[0]).toMatchObject({ grant: { kind: 'client' }, batch: { events: [exposure] } });
});

test('accepts the valid events of a batch and lists the others', async () => {
  const answer = await sendEvents(JSON.stringify({ ...envelope, events: [{ type: 'poem' }, exposure, 7] }));
  expect(answer.json().data).toMatchObject({
    accepted: 1,
    rejected: [
      { index: 0, code: 'UNKNOWN_TYPE' },
      { index: 2, code: 'VALIDATION_ERROR' },
    ],
  });
});

test.each([
  [{ events: [] }, 'batch_id'],
  [{ batch_id: 'b' }, 'events'],
  [{ batch_id: '', events: [] }, 'batch_id'],
  [{ batch_id: 'b', events: {} }, 'events'],
])('refuses the broken envelope %j', async (body, field) => {
  const answer = await sendEvents(JSON.stringify(body));
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details.fields[0].field).toBe(field);
});

test('reads the same from MessagePack as from JSON, with any names and values', async () => {
  const sent = JSON.parse(
    '{"batch_id":"b","events":[{"type":"track","id":"1","timestamp":"2026-11-20T10:00:00.000Z","event_name":"e",' +
      '"user_key":"u","properties":{"__proto__":{"a":1},"constructor":2,"toString":null,"":[0.1,9007199254740993]}}]}',
  );
  const msgpack = { 'content-type': 'application/msgpack' };
  const answers = [
    await sendEvents(JSON.stringify(sent)),
    await sendEvents(Buffer.from(encode(sent)), msgpack),
    await sendEvents(gzipSync(encode(sent)), { ...msgpack, 'content-encoding': 'gzip' }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
  const [first, ...others] = batches.map(({ batch }) => JSON.stringify(batch));
  expect(first).toContain('"__proto__":{"a":1}');
  expect(others).toEqual([first, first]);
});

test('limits the values of a body, with the same error for every form', async () => {
  const holding = (count: number) => ({ batch_id: 'b', events: [Array(count - 4).fill([])] });
  const limit = { limit: 'body_values', maximum: 65_536 };
  for (const [count, status] of [
    [65_536, 202],
    [65_537, 422],
  ] as const) {
    const body = holding(count);
    const asServer = { 'x-api-key': 'sdk-dev-server' };
    const asJson = await sendEvents(JSON.stringify(body, null, 1), asServer);
    const asMsgpack = await sendEvents(Buffer.from(encode(body)), {
      ...asServer,
      'content-type': 'application/msgpack',
    });
    for (const answer of [asJson, asMsgpack]) {
      expect(answer.statusCode).toBe(status);
      if (status === 422)
        expect(answer.json().error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: limit });
    }
  }
  const names = Array.from({ length: 25_001 }, (_, index) => [`name-${index}`, 0]);
  const members = { batch_id: 'b', events: [Object.fromEntries(names)] };
  for (const [payload, type] of [
    [JSON.stringify(members), 'application/json'],
    [Buffer.from(encode(members)), 'application/msgpack'],
  ] as const) {
    const answer = await sendEvents(payload, { 'x-api-key': 'sdk-dev-server', 'content-type': type });
    expect(answer.json().error.details).toMatchObject({ limit: 'body_members', maximum: 25_000 });
  }
  const context = { user_key: 'u', attributes: { list: Array(65_536).fill(0) } };
  expect((await evaluate({ flags: [], context })).json().error.details).toMatchObject(limit);
});

test('rejects a deeply nested event alone, in both forms', async () => {
  const deep = JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`);
  const body = { batch_id: 'b', events: [{ type: 'track', properties: { deep } }] };
  const asMsgpack = Buffer.from(encode(body, { maxDepth: 2_000 }));
  for (const answer of [
    await sendEvents(JSON.stringify(body)),
    await sendEvents(asMsgpack, { 'content-type': 'application/msgpack' }),
  ]) {
    expect(answer.statusCode).toBe(202);
    expect(answer.json().data.rejected).toHaveLength(1);
  }
});

test('reports the byte at which MessagePack is broken, and accepts it on no other route', async () => {
  const msgpack = { 'content-type': 'application/msgpack' };
  const broken = await sendEvents(Buffer.from('dd02000000', 'hex'), msgpack);
  expect(broken.statusCode).toBe(400);
  expect(broken.json().error).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'The body is not valid MessagePack: byte 5 announces more values than there are bytes.',
  });
  for (const type of ['application/msgpack', 'Application/MsgPack; v=5']) {
    const refused = await evaluate(Buffer.from('dd02000000', 'hex'), undefined, { 'content-type': type });
    expect(refused.statusCode).toBe(415);
  }
});

test('refuses more than a thousand events', async () => {
  const answer = await sendEvents(JSON.stringify({ batch_id: 'b', events: Array(1_001).fill(0) }));
  expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
});

test('refuses bodies that inflate beyond the limit, broken gzip and other codings', async () => {
  const bomb = await sendEvents(gzipSync(Buffer.alloc(50_000_000, 0x20)), { 'content-encoding': 'gzip' });
  expect([bomb.statusCode, bomb.json().error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  const broken = await sendEvents('not gzip', { 'content-encoding': 'gzip' });
  expect([broken.statusCode, broken.json().error.code]).toEqual([400, 'VALIDATION_ERROR']);
  const other = await sendEvents('{}', { 'content-encoding': 'deflate' });
  expect([other.statusCode, other.json().error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  const msgpack = await sendEvents(Buffer.from([0xc1]), { 'content-type': 'application/msgpack' });
  expect([msgpack.statusCode, msgpack.json().error.code]).toEqual([400, 'VALIDATION_ERROR']);
});

test('warns a browser that uses a server key', async () => {
  const warnings = async (key: string, headers: Record<string, string>) => {
    const answer = await app.inject({
      url: '/api/v1/sdk/ruleset',
      headers: { 'x-api-key': key, ...headers },
    });
    return answer.headers['x-flagsvc-warnings'];
  };
  expect(await warnings('sdk-dev-server', { 'sec-fetch-site': 'same-origin' })).toBe('server-key');
  expect(await warnings('sdk-dev-server', {})).toBeUndefined();
  expect(await warnings('sdk-dev-client', { 'sec-fetch-site': 'cross-site' })).toBeUndefined();
});

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../test/api.ts';
import { codeOf, refused } from '../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../test/server.ts';

let server: TestServer;
let api: Api;
let url: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  url = `/flags?environment_id=${server.environments.production}`;
});
afterAll(() => server.close());

/** Sends a body unchanged to the route that creates flags. */
const post = (body: unknown, headers: Record<string, string> = {}) =>
  api.raw({ method: 'POST', url, body, headers });

test.each([
  ['{', 'MALFORMED_JSON', 400],
  ['{"key": "a",}', 'MALFORMED_JSON', 400],
  ["{'key': 'a'}", 'MALFORMED_JSON', 400],
  ['NaN', 'MALFORMED_JSON', 400],
  ['null', 'VALIDATION_ERROR', 400],
  ['[]', 'VALIDATION_ERROR', 400],
  ['"text"', 'VALIDATION_ERROR', 400],
  ['7', 'VALIDATION_ERROR', 400],
  ['', 'VALIDATION_ERROR', 400],
  ['   ', 'VALIDATION_ERROR', 400],
])('answers the body %j with %s', async (body, code, status) => {
  const answer = await post(body);
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
});

test('accepts a POST without a body if no field is required, and names missing fields otherwise', async () => {
  const { id } = await api.flags.create(booleanFlag('bodiless'));
  await api.flags.archive(id);
  expect((await api.flags.restore(id)).status).toBe('active');
  const { details } = await refused(api.unchecked.flags.create());
  expect(details.fields.map(({ field }: { field: string }) => field)).toEqual([
    'key',
    'name',
    'flag_type',
    'variations',
    'default_variation',
  ]);
  expect(await codeOf(api.unchecked.flags.update(id))).toBe('VALIDATION_ERROR');
  const { paths } = (await server.app.inject('/openapi.json')).json();
  const isRequired = (path: string, method = 'post') => paths[`/api/v1${path}`][method].requestBody.required;
  expect([
    isRequired('/flags/{flag_id}/restore'),
    isRequired('/flags'),
    isRequired('/flags/{flag_id}', 'put'),
  ]).toEqual([false, true, true]);
});

test('reports one fault per field', async () => {
  const body = { email: 'nobody', password: 'long enough' };
  const { details } = await refused(server.anonymous.auth.register(body));
  expect(details.fields).toMatchObject([{ field: 'email', code: 'format' }]);
});

test('names a text that is too long, with its limit', async () => {
  const long = api.flags.create(booleanFlag('long', { name: 'x'.repeat(201) }));
  expect(await refused(long)).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    message: 'A limit is exceeded: name must have at most 200 characters.',
    details: { field: 'name', limit: 'maxLength', maximum: 200 },
  });
});

test('refuses other media types', async () => {
  for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'nonsense']) {
    const { status, body } = await post('key=a', { 'content-type': type });
    expect([type, status, body.error.code]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
  const typed = await post(JSON.stringify(booleanFlag('typed')), {
    'content-type': 'application/json; charset=utf-8',
  });
  expect(typed.status).toBe(201);
});

test('accepts bodies in gzip, and in no other coding', async () => {
  const send = (coding: string, body: Buffer) =>
    server.app.inject({
      method: 'POST',
      url: `/api/v1${url}`,
      headers: {
        authorization: `Bearer ${server.tokens.editor}`,
        'content-type': 'application/json',
        'content-encoding': coding,
      },
      payload: body,
    });
  const plain = Buffer.from(JSON.stringify(booleanFlag('zipped')));
  expect((await send('gzip', gzipSync(plain))).statusCode).toBe(201);
  const other = await send('br', plain);
  expect([other.statusCode, other.json().error.message]).toEqual([
    415,
    'The only supported Content-Encoding of a body is gzip.',
  ]);
  expect((await send('gzip', plain)).json().error.message).toBe('The body is not valid gzip.');
  expect((await send('gzip', gzipSync(Buffer.alloc(2_000_000)))).statusCode).toBe(413);
});

test('refuses bodies that are not UTF-8, and says where JSON is invalid', async () => {
  const name = 'M\u00fcller';
  const { json } = await server.app.inject({
    method: 'POST',
    url: `/api/v1${url}`,
    headers: { authorization: `Bearer ${server.tokens.editor}`, 'content-type': 'application/json' },
    payload: Buffer.from(JSON.stringify(booleanFlag('latin', { name })), 'latin1'),
  });
  expect(json().error).toMatchObject({ code: 'MALFORMED_JSON', message: 'The body is not UTF-8.' });
  const { body } = await post(`{\n"name": "${'x'.repeat(100)}",\n}`);
  expect(body.error.message).toBe('The body is not valid JSON: see line 3, column 1.');
  expect(body.error.details).toEqual({ line: 3, column: 1 });
  expect((await post('{"name": ')).body.error.message).toBe('The body is not valid JSON: it ends too early.');
  expect((await post('\ufeff{}')).body.error.message).toContain('byte order mark');
});

test('refuses bodies above one mebibyte', async () => {
  const { status, body } = await post({ ...booleanFlag('large'), description: 'x'.repeat(1024 * 1024) });
  expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

test('refuses deep bodies before anything recurses into them', async () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const flag = (depth: number) =>
    JSON.stringify(booleanFlag('deep', { flag_type: 'json' })).replace(/true|false/g, deep(depth));
  const { status, body } = await post(flag(200_000));
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.details.fields[0].code).toBe('maxDepth');
  expect((await post(flag(30))).status).toBe(400);
  expect((await post(flag(29))).status).toBe(201);
});

test('does not count brackets in strings as depth', async () => {
  const name = '[{"\\'.repeat(40);
  expect((await api.flags.create(booleanFlag('brackets', { name }))).name).toBe(name);
});

test('keeps __proto__ and constructor in JSON values as plain fields', async () => {
  const text = JSON.stringify(booleanFlag('odd', { flag_type: 'json' })).replace(
    /true|false/g,
    '{"__proto__":{"admin":true},"constructor":1}',
  );
  const { status, body } = await post(text);
  expect(status).toBe(201);
  expect(Object.keys(body.data.variations[0].value)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});

test('names ignored fields in a header, with unsafe characters replaced', async () => {
  const { headers, status } = await post({
    ...booleanFlag('header'),
    'a\r\nset-cookie: x': 1,
    '\ud800': 1,
    'ü,x': 1,
    __proto__x: 1,
  });
  expect(status).toBe(201);
  expect(headers['x-flagsvc-ignored-fields']).toBe('a??set-cookie:?x, ?, ??x, __proto__x');
});

test('answers unknown paths with the envelope', async () => {
  for (const path of ['/nothing', '/flags/a/b/c', '/%ff', '/flags/%E0%A4%A']) {
    const { status, body } = await api.raw({ url: path });
    expect([status, body]).toEqual([
      404,
      { error: { code: 'NOT_FOUND', message: expect.any(String), details: {} } },
    ]);
  }
});

test.each([
  ['PUT', '/api/v1/flags', 'GET, HEAD, POST, OPTIONS'],
  ['GET', '/api/v1/flags/x/toggle?environment_id=y', 'POST, OPTIONS'],
  // The path matches two routes.
  ['DELETE', '/api/v1/flags/bulk/environments', 'GET, HEAD, OPTIONS'],
  ['PROPFIND', '/api/v1/flags', 'GET, HEAD, POST, OPTIONS'],
  ['GET', '/api/v1/evaluate', 'POST, OPTIONS'],
  ['POST', '/api/v1/sdk/stream', 'GET, OPTIONS'],
  ['POST', '/health', 'GET, HEAD, OPTIONS'],
])('answers %s %s with 405 and the allowed methods', async (method, path, allow) => {
  // The method is refused before the body is read.
  const answer = await server.app.inject({
    method: method as 'GET',
    url: path,
    headers: { 'content-type': 'application/json' },
    payload: '{',
  });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow]);
  expect(answer.json().error).toEqual({
    code: 'METHOD_NOT_ALLOWED',
    message: `This path does not support ${method}; it supports ${allow}.`,
    details: { allow: allow.split(', ') },
  });
});

test('answers OPTIONS with the methods of a path, and 404 for an unknown one', async () => {
  const options = (url: string) => server.app.inject({ method: 'OPTIONS', url });
  const { statusCode, headers, payload } = await options('/api/v1/flags/x');
  expect([statusCode, headers.allow, payload]).toEqual([204, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS', '']);
  for (const path of ['/api/v1/nothing', '/api/v1/flags/', '/api/v1/flags//toggle', '*']) {
    const answer = await options(path);
    expect([path, answer.statusCode, answer.headers.allow]).toEqual([path, 404, undefined]);
  }
});

test('answers HEAD as GET, without the body', async () => {
  const { headers, statusCode, payload } = await server.app.inject({ method: 'HEAD', url: '/health' });
  expect([statusCode, payload]).toEqual([200, '']);
  expect(Number(headers['content-length'])).toBeGreaterThan(10);
  // A HEAD request for a stream would never end.
  const stream = await server.app.inject({ method: 'HEAD', url: '/api/v1/sdk/stream' });
  expect([stream.statusCode, stream.headers.allow]).toEqual([405, 'GET, OPTIONS']);
});

test('keeps answers out of caches, and sends no length with a 304 to HEAD', async () => {
  const created = await server.as('admin').apiKeys.create(server.environments.production, { name: 'k' })
    .answer;
  expect(created.headers['cache-control']).toBe('no-store');
  const unauthorized = await server.app.inject({
    url: '/api/v1/auth/me',
    headers: { authorization: 'Bearer x' },
  });
  expect(unauthorized.headers['cache-control']).toBe('no-store');
  // Caches may store a 404 by default, and a cache that only looks at the path would serve a 401 to everybody.
  for (const url of ['/api/v1/sdk/ruleset', '/api/v1/sdk/nothing'])
    expect((await server.app.inject({ url })).headers['cache-control']).toBe('no-store');
  const head = (more: object) =>
    server.app.inject({
      method: 'HEAD',
      url: '/api/v1/sdk/ruleset',
      headers: { 'x-api-key': created.body.data.key!, ...more },
    });
  const first = await head({});
  expect(Number(first.headers['content-length'])).toBeGreaterThan(10);
  const second = await head({ 'if-none-match': first.headers.etag });
  expect([second.statusCode, second.headers['content-length']]).toEqual([304, undefined]);
});

test.each([
  ['/api/v1/auth/me', {}, 'Bearer'],
  ['/api/v1/auth/me', { authorization: 'Bearer x' }, 'Bearer error="invalid_token"'],
  ['/api/v1/sdk/ruleset', {}, 'ApiKey'],
  ['/api/v1/sdk/ruleset', { 'x-api-key': 'x' }, 'ApiKey'],
])('names the credentials that %s requires if it gets the headers %j', async (path, headers, challenge) => {
  const answer = await server.app.inject({ url: path, headers });
  expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, challenge]);
});

test('answers requests with path parameters of any length, and deletes long tags', async () => {
  const long = 'x'.repeat(5_000);
  for (const [method, path] of [
    ['GET', `/flags/${long}?environment_id=${server.environments.production}`],
    ['GET', `/flags/by-key/${long}?environment_id=${server.environments.production}`],
    ['DELETE', `/projects/${long}/tags/x`],
  ] as const) {
    const { status, body } = await api.raw({ method, url: path });
    const [{ field, location } = { field: '', location: '' }] = body.error.details.fields ?? [];
    expect([path.slice(0, 20), status === 404 || (location === 'path' && field !== '')]).toEqual([
      path.slice(0, 20),
      true,
    ]);
  }
  const tag = '😀'.repeat(60);
  await api.flags.create(booleanFlag('tagged', { tags: [tag] }));
  expect(await codeOf(api.projects.deleteTag(server.projectId, tag))).toBe('OK');
});

test('authenticates HEAD like GET, and counts it once', async () => {
  const head = (headers: Record<string, string>) =>
    server.app.inject({ method: 'HEAD', url: '/api/v1/projects', headers });
  expect((await head({})).statusCode).toBe(401);
  const authorization = `Bearer ${server.tokens.viewer}`;
  const [first, second] = [await head({ authorization }), await head({ authorization })];
  expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
  const left = ({ headers }: typeof first) => Number(headers['x-ratelimit-remaining']);
  expect(left(second)).toBe(left(first) - 1);
});

test('echoes a request id, and makes one if it is missing or malformed', async () => {
  const own = await api.raw({ url: '/health', headers: { 'x-request-id': 'trace-1.a' } });
  expect(own.headers['x-request-id']).toBe('trace-1.a');
  for (const headers of [{}, { 'x-request-id': 'a b' }, { 'x-request-id': 'x'.repeat(200) }]) {
    const made = await server.anonymous.raw({ url: '/nothing', headers });
    expect(made.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  }
});

test('serves /health at the root of the host', async () => {
  const { status, body } = await server.anonymous.raw({ url: '/health' });
  expect(status).toBe(200);
  const checks = { database: 'ok', ruleset_compiler: 'ok' };
  expect(body).toEqual({ status: 'ok', version: '0.0.0-test', mode: 'oss', checks });
});

test('refuses malformed Idempotency-Keys', async () => {
  for (const key of ['', 'a b', 'x'.repeat(256)]) {
    const created = api.flags.create(booleanFlag('key'), { idempotencyKey: key });
    expect(await codeOf(created)).toBe('IDEMPOTENCY_KEY_INVALID');
  }
});

test('counts management requests per organization, and sends the remaining number with every answer', async () => {
  const { headers } = await server.as('viewer').auth.me().answer;
  expect(headers).toMatchObject({ 'x-ratelimit-limit': '1000000' });
  const next = await server.as('admin').flags.get('x').answer;
  expect(Number(next.headers['x-ratelimit-remaining'])).toBe(Number(headers['x-ratelimit-remaining']) - 1);
});

test('limits the management API to 1000 requests a minute', async () => {
  const limited = await startServer({ limits: { auth: 1_000 } });
  const { auth } = limited.as('viewer');
  let served = 0;
  while ((await codeOf(auth.me())) === 'OK') served++;
  // Starting the server may have used a few requests.
  expect(served).toBeGreaterThan(990);
  expect(served).toBeLessThanOrEqual(1_000);
  expect(await codeOf(auth.me())).toBe('RATE_LIMIT_EXCEEDED');
  await limited.close();
});

test('reveals nothing about an unexpected error', async () => {
  const broken = await startServer();
  await broken.db.schema.dropTable('audit_entries').execute();
  const created = broken.as('editor').flags.create(booleanFlag('broken'));
  expect(await refused(created)).toMatchObject({
    code: 'INTERNAL_ERROR',
    message: expect.not.stringContaining('audit'),
    details: { request_id: expect.any(String) },
  });
  const flags = await broken.db.selectFrom('flags').select('id').execute();
  expect(flags).toEqual([]);
  await broken.close();
});

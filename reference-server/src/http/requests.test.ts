import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../test/server.ts';

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = `/flags?environment_id=${server.environments.production}`;
});
afterAll(() => server.close());

function post(body: unknown, headers: Record<string, string> = {}) {
  return server.call({ method: 'POST', url, token: server.tokens.editor, body, headers });
}

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

test('takes a POST without a body where no field is needed, and else names what is missing', async () => {
  const token = server.tokens.editor;
  const { id } = (await post(booleanFlag('bodiless'))).body.data;
  await server.call({ method: 'DELETE', url: `/flags/${id}${url.slice(6)}`, token });
  const restored = await server.call({ method: 'POST', url: `/flags/${id}/restore${url.slice(6)}`, token });
  expect([restored.status, restored.body.data?.status]).toEqual([200, 'active']);
  const { body } = await server.call({ method: 'POST', url, token });
  expect(body.error.details.fields.map(({ field }: { field: string }) => field)).toEqual([
    'key',
    'name',
    'flag_type',
    'variations',
    'default_variation',
  ]);
  const put = await server.call({ method: 'PUT', url: `/flags/${id}${url.slice(6)}`, token });
  expect(put.status).toBe(400);
  const { paths } = (await server.app.inject('/openapi.json')).json();
  const isNeeded = (path: string, method = 'post') => paths[`/api/v1${path}`][method].requestBody.required;
  expect([
    isNeeded('/flags/{flag_id}/restore'),
    isNeeded('/flags'),
    isNeeded('/flags/{flag_id}', 'put'),
  ]).toEqual([false, true, true]);
});

test('says once what is wrong with a field', async () => {
  const body = { email: 'nobody', password: 'long enough' };
  const { body: answer } = await server.call({ method: 'POST', url: '/auth/register', body });
  expect(answer.error.details.fields).toMatchObject([{ field: 'email', code: 'format' }]);
});

test('says what is too long, and how long it may be', async () => {
  const { body } = await post(booleanFlag('long', { name: 'x'.repeat(201) }));
  expect(body.error).toEqual({
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

test('takes bodies as gzip, and says that it takes no other coding', async () => {
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
    'The only Content-Encoding of a body is gzip.',
  ]);
  expect((await send('gzip', plain)).json().error.message).toBe('The body is not valid gzip.');
  expect((await send('gzip', gzipSync(Buffer.alloc(2_000_000)))).statusCode).toBe(413);
});

test('refuses bodies that are not UTF-8, and says where one is not JSON', async () => {
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

test('refuses deep bodies before anything walks them', async () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const flag = (depth: number) =>
    JSON.stringify(booleanFlag('deep', { flag_type: 'json' })).replace(/true|false/g, deep(depth));
  const { status, body } = await post(flag(200_000));
  expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(body.error.details.fields[0].code).toBe('maxDepth');
  expect((await post(flag(30))).status).toBe(400);
  expect((await post(flag(29))).status).toBe(201);
});

test('counts no bracket that stands in a text', async () => {
  const name = '[{"\\'.repeat(40);
  expect((await post(booleanFlag('brackets', { name }))).body.data.name).toBe(name);
});

test('takes odd names in JSON values as they are', async () => {
  const text = JSON.stringify(booleanFlag('odd', { flag_type: 'json' })).replace(
    /true|false/g,
    '{"__proto__":{"admin":true},"constructor":1}',
  );
  const { status, body } = await post(text);
  expect(status).toBe(201);
  expect(Object.keys(body.data.variations[0].value)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});

test('names ignored fields in a header that no name can break', async () => {
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
    const { status, body } = await server.call({ url: path, token: server.tokens.admin });
    expect([status, body]).toEqual([
      404,
      { error: { code: 'NOT_FOUND', message: expect.any(String), details: {} } },
    ]);
  }
});

test.each([
  ['PUT', '/api/v1/flags', 'GET, HEAD, POST, OPTIONS'],
  ['GET', '/api/v1/flags/x/toggle?environment_id=y', 'POST, OPTIONS'],
  // Of both routes that the path fits.
  ['DELETE', '/api/v1/flags/bulk/environments', 'GET, HEAD, OPTIONS'],
  ['PROPFIND', '/api/v1/flags', 'GET, HEAD, POST, OPTIONS'],
  ['GET', '/api/v1/evaluate', 'POST, OPTIONS'],
  ['POST', '/api/v1/sdk/stream', 'GET, OPTIONS'],
  ['POST', '/health', 'GET, HEAD, OPTIONS'],
])('answers %s %s with 405 and says what the path takes', async (method, path, allow) => {
  // The method is told before the body is read.
  const answer = await server.app.inject({
    method: method as 'GET',
    url: path,
    headers: { 'content-type': 'application/json' },
    payload: '{',
  });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow]);
  expect(answer.json().error).toEqual({
    code: 'METHOD_NOT_ALLOWED',
    message: `This path does not take ${method}; it takes ${allow}.`,
    details: { allow: allow.split(', ') },
  });
});

test('tells OPTIONS what a path takes, and nothing of a path that is none', async () => {
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
  // A stream without a body would never end.
  const stream = await server.app.inject({ method: 'HEAD', url: '/api/v1/sdk/stream' });
  expect([stream.statusCode, stream.headers.allow]).toEqual([405, 'GET, OPTIONS']);
});

test('keeps what it answers out of caches, and its length out of a 304 to HEAD', async () => {
  const { headers, body } = await server.call({
    method: 'POST',
    url: `/environments/${server.environments.production}/api-keys`,
    token: server.tokens.admin,
    body: { name: 'k' },
  });
  expect(headers['cache-control']).toBe('no-store');
  const refused = await server.app.inject({ url: '/api/v1/auth/me', headers: { authorization: 'Bearer x' } });
  expect(refused.headers['cache-control']).toBe('no-store');
  // A cache may keep a 404 that says nothing of it, and one that keeps all of a path takes a 401 for everybody's.
  for (const url of ['/api/v1/sdk/ruleset', '/api/v1/sdk/nothing'])
    expect((await server.app.inject({ url })).headers['cache-control']).toBe('no-store');
  const head = (more: object) =>
    server.app.inject({
      method: 'HEAD',
      url: '/api/v1/sdk/ruleset',
      headers: { 'x-api-key': body.data.key, ...more },
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
])('says which credentials %s wants of %j', async (path, headers, challenge) => {
  const answer = await server.app.inject({ url: path, headers });
  expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, challenge]);
});

test('answers for names of any length, and takes away tags of them', async () => {
  const long = 'x'.repeat(5_000);
  for (const [method, path] of [
    ['GET', `/flags/${long}?environment_id=${server.environments.production}`],
    ['GET', `/flags/by-key/${long}?environment_id=${server.environments.production}`],
    ['DELETE', `/projects/${long}/tags/x`],
  ] as const) {
    const { status, body } = await server.call({ method, url: path, token: server.tokens.admin });
    const [{ field, location } = { field: '', location: '' }] = body.error.details.fields ?? [];
    expect([path.slice(0, 20), status === 404 || (location === 'path' && field !== '')]).toEqual([
      path.slice(0, 20),
      true,
    ]);
  }
  const tag = '😀'.repeat(60);
  expect((await post(booleanFlag('tagged', { tags: [tag] }))).status).toBe(201);
  const { status } = await server.call({
    method: 'DELETE',
    url: `/projects/${server.projectId}/tags/${encodeURIComponent(tag)}`,
    token: server.tokens.admin,
  });
  expect(status).toBe(204);
});

test('asks of HEAD what it asks of GET, once', async () => {
  const head = (headers: Record<string, string>) =>
    server.app.inject({ method: 'HEAD', url: '/api/v1/projects', headers });
  expect((await head({})).statusCode).toBe(401);
  const authorization = `Bearer ${server.tokens.viewer}`;
  const [first, second] = [await head({ authorization }), await head({ authorization })];
  expect([first.statusCode, second.statusCode]).toEqual([200, 200]);
  const left = ({ headers }: typeof first) => Number(headers['x-ratelimit-remaining']);
  expect(left(second)).toBe(left(first) - 1);
});

test('sends back a request id, and makes one when it is missing or odd', async () => {
  const own = await server.call({ url: '/health', headers: { 'x-request-id': 'trace-1.a' } });
  expect(own.headers['x-request-id']).toBe('trace-1.a');
  for (const headers of [{}, { 'x-request-id': 'a b' }, { 'x-request-id': 'x'.repeat(200) }]) {
    const made = await server.call({ url: '/nothing', headers });
    expect(made.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  }
});

test('tells its health at the host root', async () => {
  const { status, body } = await server.call({ url: '/health' });
  expect(status).toBe(200);
  const checks = { database: 'ok', ruleset_compiler: 'ok' };
  expect(body).toEqual({ status: 'ok', version: '0.0.0-test', mode: 'oss', checks });
});

test('refuses odd Idempotency-Keys', async () => {
  for (const key of ['', 'a b', 'x'.repeat(256)]) {
    const { status, body } = await post(booleanFlag('key'), { 'idempotency-key': key });
    expect([status, body.error.code]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID']);
  }
});

test('counts the management API by organization and says so in every answer', async () => {
  const { headers } = await server.call({ url: '/auth/me', token: server.tokens.viewer });
  expect(headers).toMatchObject({ 'x-ratelimit-limit': '1000000' });
  const next = await server.call({ url: '/flags/x', token: server.tokens.admin });
  expect(Number(next.headers['x-ratelimit-remaining'])).toBe(Number(headers['x-ratelimit-remaining']) - 1);
});

test('limits the management API to 1000 requests a minute', async () => {
  const limited = await startServer({ limits: { auth: 1_000 } });
  const statuses = new Map<number, number>();
  for (let round = 0; round < 1_000; round++) {
    const { status } = await limited.call({ url: '/auth/me', token: limited.tokens.viewer });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  // startServer has used a few.
  expect(statuses.get(429)).toBeGreaterThan(0);
  expect(statuses.get(200)).toBeGreaterThan(990);
  await limited.close();
});

test('tells nothing of an error that it did not expect', async () => {
  const broken = await startServer();
  await broken.db.schema.dropTable('audit_entries').execute();
  const { status, body } = await broken.call({
    method: 'POST',
    url: `/flags?environment_id=${broken.environments.production}`,
    token: broken.tokens.editor,
    body: booleanFlag('broken'),
  });
  expect(status).toBe(500);
  expect(body.error).toEqual({
    code: 'INTERNAL_ERROR',
    message: expect.not.stringContaining('audit'),
    details: { request_id: expect.any(String) },
  });
  const flags = await broken.db.selectFrom('flags').select('id').execute();
  expect(flags).toEqual([]);
  await broken.close();
});

import { afterEach, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
afterEach(() => server.close());

const call = (method: 'GET' | 'PUT', body?: unknown, headers: Record<string, string> = {}) =>
  server.call({
    method,
    url: '/me/preferences',
    token: server.tokens.viewer,
    headers,
    ...(body !== undefined && { body }),
  });

test('each person has preferences of their own', async () => {
  server = await startServer();
  const first = await call('GET');
  expect([first.body, first.headers['etag']]).toEqual([{ data: {} }, '"0"']);
  const views = { 'flags.views': [{ name: 'Ünïcode \u0000 \ud800', query: '?status=stale' }], __proto__x: 1 };
  const stored = await call('PUT', views);
  expect([stored.status, stored.headers['etag']]).toEqual([200, '"1"']);
  expect((await call('GET')).body).toEqual({ data: JSON.parse(JSON.stringify(views)) });
  const others = await server.call({ url: '/me/preferences', token: server.tokens.admin });
  expect(others.body).toEqual({ data: {} });
});

test('If-Match keeps two tabs from overwriting each other', async () => {
  server = await startServer();
  expect((await call('PUT', { a: 1 }, { 'if-match': '"0"' })).status).toBe(200);
  const late = await call('PUT', { b: 1 }, { 'if-match': '"0"' });
  expect([late.status, (late.body as { error: { code: string } }).error.code]).toEqual([
    412,
    'PRECONDITION_FAILED',
  ]);
  expect((await call('PUT', { a: 2 }, { 'if-match': '"1"' })).status).toBe(200);
  const both = await Promise.all([call('PUT', { c: 1 }), call('PUT', { d: 1 })]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect((await call('GET')).headers['etag']).toBe('"4"');
});

test('at most 64 KiB of an object are stored', async () => {
  server = await startServer();
  const large = await call('PUT', { text: 'x'.repeat(65_530) });
  expect([large.status, (large.body as { error: { code: string } }).error.code]).toEqual([
    422,
    'LIMIT_EXCEEDED',
  ]);
  expect((await call('PUT', { text: 'x'.repeat(65_000) })).status).toBe(200);
  for (const body of [[], 'text', 1, null])
    expect((await call('PUT', JSON.stringify(body))).status).toBe(400);
});

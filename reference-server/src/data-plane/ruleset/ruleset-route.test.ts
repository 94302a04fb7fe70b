import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decode } from '@msgpack/msgpack';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDataPlane, RULESET, type TestDataPlane } from '../../../test/data-plane.ts';

let plane: TestDataPlane;
beforeEach(async () => {
  plane = await createDataPlane();
});
afterEach(() => plane.app.close());

test('sends the ruleset with its etag, cache headers and limits', async () => {
  const answer = await plane.fetchRuleset();
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ data: RULESET });
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
  for (const tag of [plane.published.etag, `"old", ${plane.published.etag}`, plane.published.etag.slice(2)]) {
    const answer = await plane.fetchRuleset({ 'if-none-match': tag });
    expect([answer.statusCode, answer.payload]).toEqual([304, '']);
    expect(answer.headers).toMatchObject({
      etag: plane.published.etag,
      'cache-control': 'private, no-cache',
    });
    expect(answer.headers).toHaveProperty('vary');
    expect(answer.headers).toHaveProperty('x-ratelimit-reset');
  }
});

test('sends MessagePack if Accept prefers it', async () => {
  const answer = await plane.fetchRuleset({ accept: 'application/msgpack' });
  expect(answer.headers['content-type']).toBe('application/msgpack');
  expect(decode(answer.rawPayload)).toEqual({ data: RULESET });
  const preferred = await plane.fetchRuleset({ accept: 'application/msgpack;q=0.5, application/json' });
  expect(preferred.json()).toEqual({ data: RULESET });
});

test('compresses the body with brotli or gzip', async () => {
  const br = await plane.fetchRuleset({ 'accept-encoding': 'gzip, deflate, br' });
  expect(br.headers['content-encoding']).toBe('br');
  expect(JSON.parse(brotliDecompressSync(br.rawPayload).toString())).toEqual({ data: RULESET });
  const gz = await plane.fetchRuleset({ 'accept-encoding': 'gzip', accept: 'application/msgpack' });
  expect(gz.headers['content-encoding']).toBe('gzip');
  expect(decode(gunzipSync(gz.rawPayload))).toEqual({ data: RULESET });
});

test('sends a client key only client-side flags and their segments', async () => {
  const answer = await plane.app.inject({
    url: '/api/v1/sdk/ruleset',
    headers: { 'x-api-key': 'sdk-dev-client' },
  });
  expect(answer.json().data.flags.map((flag: { key: string }) => flag.key)).toEqual(['dark-mode']);
  expect(answer.json().data.segments.map((segment: { key: string }) => segment.key)).toEqual(['staff']);
  expect(answer.headers.etag).not.toBe(plane.published.etag);
});

test('limits the polls of a key, including those answered 304, and says when to retry', async () => {
  const headers = { 'if-none-match': plane.published.etag };
  for (const remaining of ['2', '1', '0']) {
    const answer = await plane.fetchRuleset(headers);
    expect(answer.statusCode).toBe(304);
    expect(answer.headers['x-ratelimit-remaining']).toBe(remaining);
  }
  const refused = await plane.fetchRuleset(headers);
  expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect(refused.headers).toMatchObject({
    'retry-after': '60',
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '0',
  });
  expect(Number(refused.headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000);
  const other = await plane.app.inject({
    url: '/api/v1/sdk/ruleset',
    headers: { 'x-api-key': 'sdk-dev-client' },
  });
  expect(other.statusCode).toBe(200);
});

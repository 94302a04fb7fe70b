import { gunzipSync } from 'node:zlib';
import { validate } from '@apidevtools/swagger-parser';
import Fastify, { type FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { route } from '../control-plane/endpoint/route.ts';
import { dataPlanePlugin } from '../data-plane/plugin.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { registerOpenApi } from './document.ts';

let app: FastifyInstance;
// biome-ignore lint/suspicious/noExplicitAny: the tests read any path of the document
let document: any;

interface Operation {
  responses: Record<number, { headers: object }>;
}

beforeAll(async () => {
  app = Fastify();
  await registerOpenApi(app, { version: '1.2.3' });
  const never = () => Promise.reject(new Error('not called'));
  app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    limiter: createRateLimiter(),
    lookup: { authenticate: () => undefined, current: never, subscribe: () => () => {} },
    sink: { accept: never },
  });
  app.put(
    '/api/v1/things/:thing_id',
    route({
      access: 'flag.write',
      operationId: 'updateThing',
      tag: 'Things',
      summary: 'Update a thing',
      params: Type.Object({ thing_id: Type.String() }),
      query: Type.Object({ environment_id: Type.String() }),
      body: Type.Object({ name: Type.String() }),
      answer: [204],
      errors: ['FLAG_NOT_FOUND', 'FLAG_ARCHIVED', 'FLAG_KEY_CONFLICT'],
    }),
    never,
  );
  await app.ready();
  document = (await app.inject('/openapi.json')).json();
});
afterAll(() => app.close());

test('describes the routes in valid OpenAPI 3.1', async () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'flagsvc', version: '1.2.3' } });
  expect(Object.keys(document.paths).sort()).toEqual([
    '/api/v1/evaluate',
    '/api/v1/relay/stream',
    '/api/v1/sdk/events',
    '/api/v1/sdk/ruleset',
    '/api/v1/sdk/stream',
    '/api/v1/things/{thing_id}',
  ]);
  await expect(validate(structuredClone(document))).resolves.toBeDefined();
});

test('declares both security schemes, and names the one that each route takes', () => {
  expect(document.components.securitySchemes).toMatchObject({
    bearerAuth: { type: 'http', scheme: 'bearer' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  });
  expect(document.paths['/api/v1/evaluate'].post.security).toEqual([{ apiKey: [] }]);
  expect(document.paths['/api/v1/things/{thing_id}'].put.security).toEqual([{ bearerAuth: [] }]);
});

test('gives an example for every error code of a route', () => {
  const { responses } = document.paths['/api/v1/things/{thing_id}'].put;
  expect(Object.keys(responses[409].content['application/json'].examples)).toEqual([
    'FLAG_ARCHIVED',
    'FLAG_KEY_CONFLICT',
  ]);
  expect(responses[404].content['application/json'].examples.FLAG_NOT_FOUND).toEqual({
    $ref: '#/components/examples/FLAG_NOT_FOUND',
  });
  expect(document.components.examples.FLAG_NOT_FOUND.value).toEqual({
    error: { code: 'FLAG_NOT_FOUND', message: 'The flag does not exist.', details: {} },
  });
  expect(responses[204].content).toBeUndefined();
});

test('describes limits, and their headers on every answer to a counted request', () => {
  for (const [path, category] of [
    ['/api/v1/evaluate', 'evaluation'],
    ['/api/v1/sdk/ruleset', 'ruleset'],
    ['/api/v1/sdk/events', 'events'],
    ['/api/v1/things/{thing_id}', 'management'],
  ] as const) {
    const [{ responses, ...operation }] = Object.values<Operation>(document.paths[path]) as [Operation];
    expect(operation).toMatchObject({ 'x-rate-limit': { category } });
    for (const [status, answer] of Object.entries(responses)) {
      // A request answered with 401 does not count against the limit of its route.
      if (status === '401') expect(answer.headers ?? {}).not.toHaveProperty('X-RateLimit-Remaining');
      else expect(answer.headers).toHaveProperty('X-RateLimit-Remaining');
    }
    expect(responses[429]?.headers).toHaveProperty('Retry-After');
  }
});

test('describes the conditional fetch and both formats of the ruleset', () => {
  const { parameters, responses } = document.paths['/api/v1/sdk/ruleset'].get;
  expect(parameters.map(({ name }: { name: string }) => name)).toContain('If-None-Match');
  expect(Object.keys(responses[200].content)).toEqual(['application/json', 'application/msgpack']);
  expect(responses[200].headers).toHaveProperty('ETag');
  expect(responses[304].headers).toHaveProperty('ETag');
  expect(responses[304].content).toBeUndefined();
  expect(Object.keys(document.paths['/api/v1/sdk/events'].post.requestBody.content)).toEqual([
    'application/json',
    'application/msgpack',
  ]);
});

test('describes the errors of a stream as JSON', () => {
  const { responses } = document.paths['/api/v1/sdk/stream'].get;
  expect(Object.keys(responses[200].content)).toEqual(['text/event-stream']);
  expect(Object.keys(responses[401].content)).toEqual(['application/json']);
  expect(Object.keys(responses[401].content['application/json'].examples)).toEqual([
    'UNAUTHENTICATED',
    'INVALID_API_KEY',
  ]);
});

test('serves interactive documentation that loads nothing from other hosts', async () => {
  const page = await app.inject('/docs');
  expect(page.statusCode).toBe(200);
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['content-security-policy']).not.toMatch(/https?:|\*/);
  const sources = [...page.payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  expect(sources).toEqual(['data:,', 'openapi.json', 'docs/reference.js', 'docs/start.js']);
  for (const url of sources.slice(1)) expect((await app.inject(url)).statusCode).toBe(200);
  expect((await app.inject('/docs/reference.js')).payload).toContain('createApiReference');
  for (const url of ['/docs/reference.js', '/docs/start.js', '/openapi.json']) {
    const plain = await app.inject(url);
    const zipped = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
    const etag = String(plain.headers.etag);
    const known = await app.inject({ url, headers: { 'if-none-match': etag } });
    expect([known.statusCode, known.payload, known.headers.etag]).toEqual([304, '', etag]);
    expect(zipped.rawPayload.length).toBeLessThan(1_500_000);
  }
});

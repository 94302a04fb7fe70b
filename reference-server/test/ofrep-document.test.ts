import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
let apiKey: string;
// biome-ignore lint/suspicious/noExplicitAny: a document is walked here in every direction
let document: any;

beforeAll(async () => {
  server = await startServer();
  const environment = server.environments.development;
  const token = server.tokens.admin;
  const post = (url: string, body: object) => server.call({ method: 'POST', url, token, body });
  await post(`/flags?environment_id=${environment}`, booleanFlag('dark-mode'));
  apiKey = (await post(`/environments/${environment}/api-keys`, { name: 'k' })).body.data.key;
  document = (await server.app.inject('/ofrep/openapi.json')).json();
});
afterAll(() => server.close());

test('is taken by a linter without a word', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/ofrep/openapi.json', config });
  expect(problems.map(({ ruleId, location, message }) => [ruleId, location[0]?.pointer, message])).toEqual(
    [],
  );
});

test('describes every route of the protocol, and no other', () => {
  const paths = server.app.routeTable
    .filter(({ url }) => url.startsWith('/ofrep/v1/'))
    .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
  const described = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(described.sort()).toEqual(paths.sort());
});

const context = { targetingKey: 'u' };
test.each([
  [200, '/dark-mode', { context }],
  [404, '/none', { context }],
  [400, '/dark-mode', { context: {} }],
  [400, '/dark-mode', 'nothing'],
  [401, '/dark-mode', { context }, 'sdk-dev-none'],
  [200, '', { context }],
  [400, '', {}],
  [401, '', { context }, ''],
])('answers %d for flags%s and %j as it says', async (status, path, body, key = apiKey) => {
  const answer = await server.app.inject({
    method: 'POST',
    url: `/ofrep/v1/evaluate/flags${path}`,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  expect(answer.statusCode).toBe(status);
  const operation = document.paths[`/ofrep/v1/evaluate/flags${path && '/{key}'}`].post;
  const { $ref } = operation.responses[status].content['application/json'].schema;
  const schema = resolve(document.components.schemas[$ref.split('/').at(-1)]);
  expect(Compile(Type.Unsafe(schema as TSchema)).Errors(answer.json())).toEqual([]);
});

/** The schema with what it refers to in its place. */
function resolve(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolve);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as { $ref?: string };
  if ($ref !== undefined) return resolve(document.components.schemas[$ref.split('/').at(-1)!]);
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, resolve(part)]));
}

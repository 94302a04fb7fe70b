import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
let apiKey: string;
// biome-ignore lint/suspicious/noExplicitAny: the tests read arbitrary parts of the document
let document: any;

beforeAll(async () => {
  server = await startServer();
  const { development } = server.environments;
  const admin = server.as('admin').in(development);
  await admin.flags.create(booleanFlag('dark-mode'));
  apiKey = (await admin.apiKeys.create(development, { name: 'k' })).key!;
  document = (await server.app.inject('/ofrep/openapi.json')).json();
});
afterAll(() => server.close());

test('a strict linter finds nothing wrong with /ofrep/openapi.json', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: '/ofrep/openapi.json', config });
  expect(problems.map(({ ruleId, location, message }) => [ruleId, location[0]?.pointer, message])).toEqual(
    [],
  );
});

test('/ofrep/openapi.json describes exactly the registered OFREP routes', () => {
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
  [404, '/unknown', { context }],
  [400, '/dark-mode', { context: {} }],
  [400, '/dark-mode', 'nothing'],
  [401, '/dark-mode', { context }, 'sdk-dev-unknown'],
  [200, '', { context }],
  [400, '', {}],
  [401, '', { context }, ''],
])(
  'the answer %d to flags%s with the body %j matches its schema',
  async (status, path, body, key = apiKey) => {
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
  },
);

/** The schema with every reference replaced by its target. */
function resolve(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolve);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as { $ref?: string };
  if ($ref !== undefined) return resolve(document.components.schemas[$ref.split('/').at(-1)!]);
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, resolve(part)]));
}

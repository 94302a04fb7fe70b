/** The members of a server client at run time. */
import { createNodeClient } from '@flagsvc/sdk-node';
import { expect, test } from 'vitest';
import { createNodeClient as createEdgeClient } from '../src/edge.ts';

const DOCUMENTED = [
  'bootstrap',
  'close',
  'evaluateAll',
  'explain',
  'flag',
  'flagDetails',
  'flush',
  'off',
  'on',
  'ready',
  'ruleset',
  'stats',
  'status',
  'track',
];

test.each([
  ['Node', createNodeClient],
  ['the edge', createEdgeClient],
])('a client for %s has its documented API and no other member', async (_, create) => {
  const client = create({
    apiKey: 'sdk-dev-object',
    baseUrl: 'http://127.0.0.1:9/api/v1',
    fetch: async () => new Response(null, { status: 503 }),
    logger: false,
  });
  expect(Object.getOwnPropertyNames(client).sort()).toEqual(DOCUMENTED);
  expect(Object.getOwnPropertySymbols(client)).toEqual([Symbol.asyncDispose]);
  expect(Object.getPrototypeOf(client)).toBe(Object.prototype);
  await client.close({ timeoutMs: 0 });
});

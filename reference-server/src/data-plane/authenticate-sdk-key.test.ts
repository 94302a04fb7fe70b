import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRateLimiter } from '../http/rate-limit.ts';
import { dataPlanePlugin } from './plugin.ts';
import type { KeyGrant, RulesetLookup } from './ports.ts';
import { createServingPath } from './serving-path.ts';

/** Limits small enough to reach. Client keys together get half of `evaluation`, and one address gets a tenth. */
const LIMITS = { evaluation: 20, ruleset: 3, events: 3, stream: 3, credentials: 3 };

let app: FastifyInstance;
let queries: string[];
let isDatabaseAway: boolean;

beforeEach(async () => {
  [queries, isDatabaseAway] = [[], false];
  const published = await createServingPath({ fast: true }).prepare(
    { version: 1, environment_id: 'env_1', flags: [], segments: [], fetched_at: '2026-11-20T10:00:00.000Z' },
    'epoch',
  );
  const grantOf = (apiKey: string): KeyGrant | undefined => {
    const [kind] = apiKey.split(' ') as [KeyGrant['kind']];
    const isKey = kind === 'server' || kind === 'client';
    return isKey
      ? {
          keyId: apiKey,
          kind,
          environmentId: 'env_1',
          projectId: 'prj_1',
          organizationId: 'org_1',
          ...(apiKey.endsWith('own') && { rateLimits: { evaluation: 30, ruleset: 5 } }),
        }
      : undefined;
  };
  const lookup: RulesetLookup = {
    authenticate(apiKey, beforeQuery) {
      if (!apiKey.endsWith('new') && grantOf(apiKey) !== undefined) return grantOf(apiKey);
      beforeQuery?.();
      queries.push(apiKey);
      return isDatabaseAway ? Promise.reject(new Error('away')) : Promise.resolve(grantOf(apiKey));
    },
    current: () => published,
    subscribe: () => () => {},
  };
  app = Fastify({ trustProxy: true });
  const limiter = createRateLimiter({ limits: LIMITS });
  app.register(dataPlanePlugin, {
    prefix: '/api/v1',
    lookup,
    limiter,
    sink: { accept: (_grant, batch) => ({ ...batch, accepted: 0, duplicates: 0, rejected: [] }) },
  });
  await app.ready();
});
afterEach(() => app.close());

const BODIES = {
  evaluate: { flags: [], context: { user_key: 'u' } },
  'sdk/events': { batch_id: 'b1', sdk: { name: 'x', version: '1' }, events: [] },
};

/** Sends one request, with the method and body that the path takes. */
async function send(path: keyof typeof BODIES | 'sdk/ruleset', apiKey: string, address: string) {
  const body = BODIES[path as keyof typeof BODIES];
  return app.inject({
    method: body === undefined ? 'GET' : 'POST',
    url: `/api/v1/${path}`,
    headers: { 'x-api-key': apiKey, 'x-forwarded-for': address },
    ...(body !== undefined && { payload: body }),
  });
}

/** How many requests are served before the limit refuses one. */
async function countServed(path: Parameters<typeof send>[0], apiKey: string, address: string) {
  for (let count = 0; count < 100; count++) {
    if ((await send(path, apiKey, address)).statusCode === 429) return count;
  }
  return Number.POSITIVE_INFINITY;
}

test.each(['sdk/ruleset', 'sdk/events'] as const)(
  'counts requests with a client key to %s per address, so that one visitor cannot use up the limit of others',
  async (path) => {
    expect(await countServed(path, 'client', '10.0.0.1')).toBe(3);
    expect((await send(path, 'client', '10.0.0.2')).statusCode).toBeLessThan(300);
    expect(await countServed(path, 'server', '10.0.0.1')).toBe(3);
    expect((await send(path, 'server', '10.0.0.2')).statusCode).toBe(429);
  },
);

test('limits one visitor of a page to a tenth of the evaluations of an environment', async () => {
  expect(await countServed('evaluate', 'client', '10.0.0.1')).toBe(2);
  expect((await send('evaluate', 'client', '10.0.0.2')).statusCode).toBe(200);
});

test('reserves half of the evaluations for server keys, however many addresses use client keys', async () => {
  const answers = [];
  for (let visitor = 0; visitor < 30; visitor++) {
    answers.push((await send('evaluate', `client ${visitor % 3}`, `10.0.0.${visitor}`)).statusCode);
  }
  expect(answers.filter((status) => status === 200)).toHaveLength(10);
  expect(await countServed('evaluate', 'server', '10.1.0.1')).toBe(10);
});

test('counts requests with client keys for the environment as well, and shows the tightest window', async () => {
  expect(await countServed('evaluate', 'server', '10.0.0.1')).toBe(20);
  const refused = await send('evaluate', 'client', '10.0.0.9');
  expect([refused.statusCode, refused.headers['x-ratelimit-limit']]).toEqual([429, '20']);
});

test('counts the requests of a key with limits of its own apart from its environment', async () => {
  expect(await countServed('evaluate', 'server own', '10.0.0.1')).toBe(30);
  expect(await countServed('evaluate', 'server', '10.0.0.1')).toBe(20);
  expect(await countServed('sdk/ruleset', 'server own', '10.0.0.1')).toBe(5);
  expect(await countServed('sdk/events', 'server own', '10.0.0.1')).toBe(3);
});

test('gives a visitor a tenth of a page key’s own limit, and all visitors together the whole', async () => {
  let served = 0;
  for (let visitor = 0; visitor < 15; visitor++) {
    const each = await countServed('evaluate', 'client own', `10.0.1.${visitor}`);
    expect(each).toBeLessThanOrEqual(3);
    served += each;
  }
  expect(served).toBe(30);
  expect(await countServed('evaluate', 'client', '10.0.0.1')).toBe(2);
});

test('shows a visitor its own window while that is the tightest', async () => {
  const { headers } = await send('evaluate', 'client', '10.0.0.1');
  expect([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']]).toEqual(['2', '1']);
});

test('stops looking up unknown keys from an address that has reached the limit, but still serves known keys', async () => {
  const statuses = [];
  for (let guess = 0; guess < 10; guess++) {
    statuses.push((await send('sdk/ruleset', `guess ${guess}`, '10.0.0.1')).statusCode);
  }
  expect(statuses).toEqual([401, 401, 401, ...Array(7).fill(429)]);
  expect(queries).toHaveLength(3);
  expect((await send('sdk/ruleset', 'server', '10.0.0.1')).statusCode).toBe(200);
  expect((await send('sdk/ruleset', 'guess', '10.0.0.2')).statusCode).toBe(401);
});

test('limits guessed keys that arrive at the same time', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, guess) => send('sdk/ruleset', `guess ${guess}`, '10.0.0.1')),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(3);
  expect(queries).toHaveLength(3);
});

test('counts neither keys that are found nor keys whose look-up fails', async () => {
  for (let count = 0; count < 10; count++) {
    expect((await send('sdk/ruleset', `server ${count} new`, '10.0.0.1')).statusCode).toBe(200);
  }
  isDatabaseAway = true;
  for (let count = 0; count < 10; count++) {
    expect((await send('sdk/ruleset', `server ${count} new`, '10.0.0.1')).statusCode).toBe(500);
  }
  isDatabaseAway = false;
  expect((await send('sdk/ruleset', 'guess', '10.0.0.1')).statusCode).toBe(401);
});

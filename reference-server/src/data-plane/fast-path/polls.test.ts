import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRateLimiter } from '../../http/rate-limit.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { dataPlanePlugin } from '../plugin.ts';
import type { KeyGrant, PollOptions, PublishedRuleset, RulesetLookup } from '../ports.ts';
import { createFastPath } from './fast-path.ts';

const PATH = '/api/v1/sdk/ruleset';
const LIMIT = 3;

const GRANTS: Record<string, Partial<KeyGrant>> = {
  server: { kind: 'server' },
  client: { kind: 'client' },
  restricted: { kind: 'server', allowedIps: ['127.0.0.1'] },
  slow: { kind: 'server' },
};

let app: FastifyInstance;
let published: PublishedRuleset;
let seenByHooks: string[];
let counted: unknown[][];
let isOverloaded: boolean;

beforeEach(async () => {
  [seenByHooks, counted, isOverloaded] = [[], [], false];
  const { prepare, answerPolls } = createFastPath();
  published = await prepare(
    { version: 7, environment_id: 'env_1', flags: [], segments: [], fetched_at: '2026-11-20T10:00:00.000Z' },
    'epoch',
  );
  const grantOf = (apiKey: string) => {
    const own = Object.hasOwn(GRANTS, apiKey) ? GRANTS[apiKey] : undefined;
    return own && ({ keyId: apiKey, environmentId: 'env_1', ...own } as KeyGrant);
  };
  const lookup: RulesetLookup = {
    recall: (apiKey) => (apiKey === 'slow' ? undefined : grantOf(apiKey)),
    authenticate(apiKey) {
      if (apiKey === 'broken') return Promise.reject(new Error('the disk'));
      return apiKey === 'slow' ? Promise.resolve(grantOf(apiKey)) : grantOf(apiKey);
    },
    current: () => published,
    subscribe: () => () => {},
  };
  const limiter = createRateLimiter({ limits: { ruleset: LIMIT } });
  app = Fastify({ genReqId: ({ headers }) => requestIdOf(headers) });
  app.addHook('onRequest', async ({ url, id }, reply) => {
    seenByHooks.push(url);
    reply.header('x-request-id', id);
  });
  app.register(dataPlanePlugin, { prefix: '/api/v1', lookup, limiter, sink: {} as never });
  const count: PollOptions['count'] = (...answer) => void counted.push(answer);
  answerPolls(app, { path: PATH, lookup, limiter, isTooMuch: () => isOverloaded, count });
  await app.listen({ host: '127.0.0.1', port: 0 });
});

afterEach(() => app.close());

async function poll(changes: Record<string, string> = {}, path = PATH, method = 'GET') {
  const { port } = app.server.address() as AddressInfo;
  const headers = { 'x-api-key': 'server', 'if-none-match': published.etag, ...changes };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, method, headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
  let text = '';
  for await (const chunk of answer) text += chunk;
  const names = answer.rawHeaders.filter((_, index) => index % 2 === 0);
  return { status: answer.statusCode, headers: answer.headers, names, text };
}

test('answers an unchanged poll in the same way as the route, but without calling a hook', async () => {
  const direct = await poll({ 'x-request-id': 'mine' });
  expect(seenByHooks).toEqual([]);
  const routed = await poll({ 'x-request-id': 'mine' }, `${PATH}?`);
  expect(seenByHooks).toEqual([`${PATH}?`]);
  expect([direct.status, direct.text, direct.names]).toEqual([304, '', routed.names]);
  const { date: _date, ...headers } = direct.headers;
  expect(routed.headers).toMatchObject({ ...headers, 'x-ratelimit-remaining': '1' });
  expect(headers).toMatchObject({
    'x-ratelimit-remaining': '2',
    'x-request-id': 'mine',
    etag: published.etag,
  });
  expect((await poll()).headers['x-request-id']).toMatch(/^[\w-]{36}$/);
});

test('accepts every If-None-Match that names the tag', async () => {
  for (const tag of ['*', `"other", ${published.etag}`]) {
    expect((await poll({ 'if-none-match': tag })).status).toBe(304);
  }
  expect(seenByHooks).toEqual([]);
});

test.each<[string, Record<string, string>, number]>([
  ['has no key', { 'x-api-key': '' }, 401],
  ['has an unknown key', { 'x-api-key': 'other' }, 401],
  ['has a key that must be looked up', { 'x-api-key': 'slow' }, 304],
  ['has a key that cannot be looked up', { 'x-api-key': 'broken' }, 500],
  ['has a client key', { 'x-api-key': 'client' }, 304],
  ['has a key with a list of addresses', { 'x-api-key': 'restricted' }, 304],
  ['comes from a browser', { 'sec-fetch-site': 'same-origin' }, 304],
  ['knows another version', { 'if-none-match': '"other"' }, 200],
])('passes a poll to the route if it %s, and counts it once', async (_why, changes, status) => {
  const answer = await poll(changes);
  expect([answer.status, seenByHooks]).toEqual([status, [PATH]]);
  if (status < 400) expect(answer.headers['x-ratelimit-remaining']).toBe(String(LIMIT - 1));
  expect(counted).toEqual([]);
});

test('passes other methods and paths to the route, and every poll while the server is overloaded', async () => {
  await poll({}, PATH, 'HEAD');
  await poll({}, '/api/v1/evaluate');
  isOverloaded = true;
  await poll();
  expect(seenByHooks).toEqual([PATH, '/api/v1/evaluate', PATH]);
});

test('shares its limit with the route, and leaves refusals to the route', async () => {
  const answers = [await poll(), await poll({}, `${PATH}?`), await poll(), await poll()];
  expect(answers.map(({ status }) => status)).toEqual([304, 304, 304, 429]);
  expect(answers[3]!.headers['retry-after']).toBeDefined();
  expect(seenByHooks).toEqual([`${PATH}?`, PATH]);
});

test('counts the polls that it answers', async () => {
  await poll();
  expect(counted).toEqual([[304, expect.any(Number)]]);
});

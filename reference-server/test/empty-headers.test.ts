import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.ts';
import { codeOf, refused } from './api-call.ts';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
let api: Api;
let apiKey: string;
let flagId: string;

beforeAll(async () => {
  server = await startServer();
  const { staging } = server.environments;
  api = server.as('admin').in(staging);
  flagId = (await api.flags.create(booleanFlag('f', { client_side: true }))).id;
  const restricted = { name: 'k', kind: 'client' as const, allowed_origins: ['https://a.example'] };
  apiKey = (await api.apiKeys.create(staging, restricted)).key!;
});
afterAll(() => server.close());

/** Evaluates with the API key, unless the headers replace it. */
const evaluate = (headers: Record<string, string>) =>
  server.withKey(apiKey).dataPlane.evaluate({ flags: ['f'], context: { user_key: 'u' } }, { headers });
const rename = (headers: Record<string, string>) =>
  api.flags.update(flagId, { name: 'Another' }, { headers });

test('reads the bearer token if X-API-Key is empty', async () => {
  const { statusCode } = await server.app.inject({
    method: 'POST',
    url: '/ofrep/v1/evaluate/flags/f',
    headers: { 'x-api-key': '', authorization: `Bearer ${apiKey}` },
    payload: { context: { targetingKey: 'u' } },
  });
  expect(statusCode).toBe(200);
  expect((await api.flags.get(flagId, { headers: { 'x-api-key': '' } })).key).toBe('f');
});

test('reads X-API-Key if Authorization is empty', async () => {
  expect(await codeOf(evaluate({ authorization: '' }))).toBe('OK');
});

test('asks for the required credentials if both headers are empty', async () => {
  const headers = { 'x-api-key': '', authorization: '' };
  expect(await refused(evaluate(headers))).toMatchObject({
    status: 401,
    message: 'An SDK API key is missing: send it in the X-API-Key header.',
  });
  expect(await refused(api.flags.get(flagId, { headers }))).toMatchObject({
    status: 401,
    message: 'Send an access token: "Authorization: Bearer <ACCESS_TOKEN>".',
  });
});

test.each(['content-encoding', 'if-none-match', 'accept', 'accept-encoding', 'origin', 'x-request-id'])(
  'ignores an empty %s on the data plane',
  async (name) => {
    expect(await codeOf(evaluate({ [name]: '' }))).toBe('OK');
  },
);

test.each([
  'content-encoding',
  'if-none-match',
  'x-break-glass',
  'x-break-glass-justification',
  'x-change-comment',
  'prefer',
])('ignores an empty %s on writes', async (name) => {
  expect(await codeOf(rename({ [name]: '' }))).toBe('OK');
});

test('stores no comment for an empty X-Change-Comment', async () => {
  await api.flags.toggle(flagId, true, { comment: '' });
  const { comment } = await server.db
    .selectFrom('audit_entries')
    .select('comment')
    .where('action', '=', 'flag.toggled')
    .executeTakeFirstOrThrow();
  expect(comment).toBeNull();
});

test('refuses an empty If-Match and an empty Idempotency-Key, because a client that sends them relies on them', async () => {
  expect(await refused(rename({ 'if-match': '' }))).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { fields: [{ field: 'if-match', location: 'header', code: 'required' }] },
  });
  const created = api.flags.create(booleanFlag('g'), { headers: { 'idempotency-key': '' } });
  expect(await codeOf(created)).toBe('IDEMPOTENCY_KEY_INVALID');
});

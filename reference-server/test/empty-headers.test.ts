import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
let apiKey: string;
let flag: { url: string; revision: number };
const bearer = () => ({ authorization: `Bearer ${server.tokens.admin}` });

beforeAll(async () => {
  server = await startServer();
  const { staging } = server.environments;
  const post = async (url: string, body: object) =>
    (await server.call({ method: 'POST', url, headers: bearer(), body })).body.data;
  const { id, revision } = await post(`/flags?environment_id=${staging}`, {
    ...booleanFlag('f'),
    client_side: true,
  });
  flag = { url: `/flags/${id}?environment_id=${staging}`, revision };
  apiKey = (
    await post(`/environments/${staging}/api-keys`, {
      name: 'k',
      kind: 'client',
      allowed_origins: ['https://a.example'],
    })
  ).key;
});
afterAll(() => server.close());

const context = { user_key: 'u' };
const evaluate = (headers: Record<string, string>, body: object = { flags: ['f'], context }) =>
  server.call({ method: 'POST', url: '/evaluate', headers, body });
const rename = (headers: Record<string, string>) =>
  server.call({
    method: 'PUT',
    url: flag.url,
    headers: { ...bearer(), ...headers },
    body: { name: 'Another' },
  });

test('an empty key leaves the bearer token to say who asks', async () => {
  const { statusCode } = await server.app.inject({
    method: 'POST',
    url: '/ofrep/v1/evaluate/flags/f',
    headers: { 'x-api-key': '', authorization: `Bearer ${apiKey}` },
    payload: { context: { targetingKey: 'u' } },
  });
  expect(statusCode).toBe(200);
  expect((await server.call({ url: flag.url, headers: { ...bearer(), 'x-api-key': '' } })).status).toBe(200);
});

test('a key is not missed because an empty token stands beside it', async () => {
  expect((await evaluate({ 'x-api-key': apiKey, authorization: '' })).status).toBe(200);
});

test('where both are empty, the message asks for what is missing', async () => {
  const both = { 'x-api-key': '', authorization: '' };
  expect(await evaluate(both)).toMatchObject({
    status: 401,
    body: { error: { message: 'An SDK API key is missing: send it in the X-API-Key header.' } },
  });
  expect(await server.call({ url: flag.url, headers: both })).toMatchObject({
    status: 401,
    body: { error: { message: 'Send an access token: "Authorization: Bearer <ACCESS_TOKEN>".' } },
  });
});

test.each(['content-encoding', 'if-none-match', 'accept', 'accept-encoding', 'origin', 'x-request-id'])(
  'an empty %s is none for the data plane',
  async (name) => {
    expect((await evaluate({ 'x-api-key': apiKey, [name]: '' })).status).toBe(200);
  },
);

test.each([
  'content-encoding',
  'if-none-match',
  'x-break-glass',
  'x-break-glass-justification',
  'x-change-comment',
  'prefer',
])('an empty %s is none for writes', async (name) => {
  expect((await rename({ [name]: '' })).status).toBe(200);
});

test('an empty comment of a header is no comment', async () => {
  await server.call({
    method: 'POST',
    url: flag.url.replace('?', '/toggle?'),
    headers: { ...bearer(), 'x-change-comment': '' },
    body: { enabled: true },
  });
  const { comment } = await server.db
    .selectFrom('audit_entries')
    .select('comment')
    .where('action', '=', 'flag.toggled')
    .executeTakeFirstOrThrow();
  expect(comment).toBeNull();
});

test('an empty condition is refused, because its sender counts on it', async () => {
  expect(await rename({ 'if-match': '' })).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'VALIDATION_ERROR',
        details: { fields: [{ field: 'if-match', location: 'header', code: 'required' }] },
      },
    },
  });
  const created = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${server.environments.staging}`,
    headers: { ...bearer(), 'idempotency-key': '' },
    body: booleanFlag('g'),
  });
  expect([created.status, created.body.error.code]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID']);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

/** Two thousand states, all of them alive: nothing is harder to read a text with. */
const HEAVY = '(\\w?){1000}(\\w?){1000}@';
const SHORT = 'a'.repeat(500);
const LONG = 'a'.repeat(40_000);

let server: TestServer;
let ids: { environment: string; flag: string; segment: string };
let apiKey: string;

beforeAll(async () => {
  server = await startServer();
  const environment = server.environments.staging;
  const write = async (method: 'POST' | 'PUT', url: string, body: object) =>
    (await server.call({ method, url, token: server.tokens.admin, body })).body.data;
  const conditions = [{ attribute: 'note', operator: 'matches_regex', value: HEAVY }];
  const { id: segment } = await write('POST', `/projects/${server.projectId}/segments`, {
    key: 'heavy',
    conditions,
  });
  const { id: flag } = await write('POST', `/flags?environment_id=${environment}`, booleanFlag('heavy'));
  await write('PUT', `/flags/${flag}?environment_id=${environment}`, {
    targeting_rules: [{ priority: 1, conditions, variation: 'on' }],
  });
  await write('POST', `/flags/${flag}/toggle?environment_id=${environment}`, { enabled: true });
  apiKey = (await write('POST', `/environments/${environment}/api-keys`, { name: 'k' })).key;
  ids = { environment, flag, segment };
});
afterAll(() => server.close());

type Ask = (note: unknown) => { url: string; body: object; token?: string };
const contextOf = (note: unknown) => ({ user_key: 'u', attributes: { note } });
const WAYS: readonly (readonly [string, Ask, field: string])[] = [
  [
    'evaluate',
    (note) => ({ url: '/evaluate', body: { flags: ['*'], context: contextOf(note) } }),
    'context.attributes.note',
  ],
  [
    'explain',
    (note) => ({
      url: '/evaluate/explain',
      body: { environment_id: ids.environment, flags: ['heavy'], context: contextOf(note) },
      token: server.tokens.viewer,
    }),
    'context.attributes.note',
  ],
  [
    'the test of a segment',
    (note) => ({
      url: `/segments/${ids.segment}/test`,
      body: { context: contextOf(note) },
      token: server.tokens.viewer,
    }),
    'context.attributes.note',
  ],
  [
    'preview',
    (note) => ({
      url: `/flags/${ids.flag}/preview?environment_id=${ids.environment}`,
      body: {
        instructions: [{ op: 'set_default', variation: 'on' }],
        contexts: [contextOf('x'), contextOf(note)],
      },
      token: server.tokens.viewer,
    }),
    'contexts.1.attributes.note',
  ],
];

// A busy machine may be late, but not each time.
test.each(WAYS)(
  '%s refuses at once what a pattern would read for seconds',
  { retry: 2 },
  async (_name, ask, field) => {
    const post = (note: unknown) =>
      server.call({ method: 'POST', headers: { 'x-api-key': apiKey }, ...ask(note) });
    expect((await post(SHORT)).status).toBe(200);
    const started = performance.now();
    const { status, body } = await post(LONG);
    expect(performance.now() - started).toBeLessThan(500);
    expect([status, body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
    expect(body.error.details).toEqual({ field, location: 'body', limit: 'pattern_work', maximum: 4_997 });
    expect(body.error.message).toBe(
      'The attribute "note" has 40000 characters, and a regular expression of 2001 states asks for it: ' +
        'such a one reads at most 4997. Send a shorter text, or make the expression smaller.',
    );
    expect((await post([LONG.slice(0, 3_000), LONG.slice(0, 3_000)])).status).toBe(422);
  },
);

test.each(['', '/heavy'])('OFREP refuses it in its own words, for flags%s', async (path) => {
  const post = (note: string) =>
    server.app.inject({
      method: 'POST',
      url: `/ofrep/v1/evaluate/flags${path}`,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      payload: JSON.stringify({ context: { targetingKey: 'u', note } }),
    });
  expect((await post(SHORT)).statusCode).toBe(200);
  const { statusCode, payload } = await post(LONG);
  expect([statusCode, JSON.parse(payload)]).toEqual([
    400,
    expect.objectContaining({
      errorCode: 'INVALID_CONTEXT',
      errorDetails: expect.stringContaining('The attribute "note" has 40000 characters'),
    }),
  ]);
});

test('takes long texts that no pattern asks for', async () => {
  const context = { user_key: 'u', attributes: { other: LONG } };
  const { status } = await server.call({
    method: 'POST',
    url: '/evaluate',
    headers: { 'x-api-key': apiKey },
    body: { flags: ['*'], context },
  });
  expect(status).toBe(200);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from './server.ts';

/** Eleven of them have 9,911 states, all of them alive: nothing is harder to read a text with. */
const patternOf = (index: number) => `(a{1,30}){1,30}${index % 10}`;
/** What eleven such patterns may read of 700,000 characters times states, with one more that begins the text. */
const SHORT = 'a'.repeat(69);
const LONG = 'a'.repeat(100);
const WORK = 11 * 901 * 101;

let server: TestServer;
let ids: { environment: string; flag: string; segment: string };
let apiKey: string;

beforeAll(async () => {
  server = await startServer();
  const environment = server.environments.staging;
  const write = async (method: 'POST' | 'PUT', url: string, body: object) => {
    const answer = await server.call({ method, url, token: server.tokens.admin, body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body.data;
  };
  const conditions = Array.from({ length: 11 }, (_, index) => ({
    attribute: 'note',
    operator: 'matches_regex',
    value: patternOf(index),
  }));
  const { id: segment } = await write('POST', `/projects/${server.projectId}/segments`, {
    key: 'heavy',
    conditions,
  });
  const { id: flag } = await write('POST', `/flags?environment_id=${environment}`, booleanFlag('heavy'));
  const targeting_rules = conditions.map((condition, index) => ({
    priority: index,
    conditions: [condition],
    variation: 'on',
  }));
  await write('PUT', `/flags/${flag}?environment_id=${environment}`, { targeting_rules });
  await write('POST', `/flags/${flag}/toggle?environment_id=${environment}`, { enabled: true });
  await write('POST', `/flags?environment_id=${environment}`, booleanFlag('light'));
  apiKey = (await write('POST', `/environments/${environment}/api-keys`, { name: 'k' })).key;
  ids = { environment, flag, segment };
});
afterAll(() => server.close());

type Ask = (note: unknown) => { url: string; body: object; token?: string };
const contextOf = (note: unknown) => ({ user_key: 'u', attributes: { note } });
const FLAG = 'The flag "heavy"';
const WAYS: readonly (readonly [string, Ask, field: string, who: string])[] = [
  [
    'evaluate, all flags',
    (note) => ({ url: '/evaluate', body: { flags: ['*'], context: contextOf(note) } }),
    'context.attributes.note',
    FLAG,
  ],
  [
    'evaluate, some flags',
    (note) => ({ url: '/evaluate', body: { flags: ['light', 'heavy'], context: contextOf(note) } }),
    'context.attributes.note',
    FLAG,
  ],
  [
    'explain',
    (note) => ({
      url: '/evaluate/explain',
      body: { environment_id: ids.environment, flags: ['heavy'], context: contextOf(note) },
      token: server.tokens.viewer,
    }),
    'context.attributes.note',
    FLAG,
  ],
  [
    'the test of a segment',
    (note) => ({
      url: `/segments/${ids.segment}/test`,
      body: { context: contextOf(note) },
      token: server.tokens.viewer,
    }),
    'context.attributes.note',
    'The segment "heavy"',
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
    FLAG,
  ],
];

const processorMs = (): number => process.cpuUsage().user / 1_000;

test.each(WAYS)(
  '%s refuses at once what the patterns of a flag would read together',
  async (_name, ask, field, who) => {
    const post = (note: unknown) =>
      server.call({ method: 'POST', headers: { 'x-api-key': apiKey }, ...ask(note) });
    expect((await post(SHORT)).status).toBe(200);
    const before = processorMs();
    const { status, body } = await post(LONG);
    expect(processorMs() - before).toBeLessThan(300);
    expect([status, body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
    expect(body.error.details).toEqual({
      field,
      location: 'body',
      limit: 'pattern_work',
      maximum: 700_000,
      work: WORK,
      ...(who === FLAG && { flag_key: 'heavy' }),
    });
    expect(body.error.message).toBe(
      `${who} would read too much by regular expressions: ${WORK} characters times states, of at most 700000. ` +
        'Most is due to attributes.note, which has 100 characters. Send a shorter text, or make the expressions smaller.',
    );
    expect((await post([SHORT, SHORT])).status).toBe(422);
  },
);

const ofrep = async (path: string, note: string) => {
  const { statusCode, payload } = await server.app.inject({
    method: 'POST',
    url: `/ofrep/v1/evaluate/flags${path}`,
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    payload: JSON.stringify({ context: { targetingKey: 'u', note } }),
  });
  return { status: statusCode, body: JSON.parse(payload) };
};
const FAULT = {
  key: 'heavy',
  errorCode: 'INVALID_CONTEXT',
  errorDetails: expect.stringContaining('The flag "heavy" would read too much by regular expressions'),
};

test('OFREP refuses one flag in its own words', async () => {
  expect((await ofrep('/heavy', SHORT)).status).toBe(200);
  expect(await ofrep('/heavy', LONG)).toEqual({ status: 400, body: FAULT });
});

test('OFREP has the error of one flag in its place among all', async () => {
  const short = await ofrep('', SHORT);
  expect(short.body.flags.map((one: { key: string }) => one.key).sort()).toEqual(['heavy', 'light']);
  const { status, body } = await ofrep('', LONG);
  expect(status).toBe(200);
  expect(body.flags).toEqual([expect.objectContaining({ key: 'light', value: expect.any(Boolean) }), FAULT]);
});

test('takes long texts that no pattern asks for', async () => {
  const context = { user_key: 'u', attributes: { other: 'a'.repeat(40_000) } };
  const { status } = await server.call({
    method: 'POST',
    url: '/evaluate',
    headers: { 'x-api-key': apiKey },
    body: { flags: ['*'], context },
  });
  expect(status).toBe(200);
});

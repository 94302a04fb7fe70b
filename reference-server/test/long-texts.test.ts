import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.ts';
import { codeOf, type Reply, refused } from './api-call.ts';
import { booleanFlag, startServer, type TestServer } from './server.ts';

/**
 * Eleven such patterns have 9,911 states, all of which a text of `a` keeps active: no patterns within the limit of a
 * flag read a text more slowly.
 */
const patternOf = (index: number) => `(a{1,30}){1,30}${index % 10}`;
/** The longest text that these patterns may read: its 70 positions times 9,911 states are below 700,000. */
const SHORT = 'a'.repeat(69);
const LONG = 'a'.repeat(100);
const WORK = 11 * 901 * 101;

let server: TestServer;
let api: Api;
let apiKey: string;
let flagId: string;
let segmentId: string;

beforeAll(async () => {
  server = await startServer();
  api = server.as('admin').in(server.environments.staging);
  const conditions = Array.from({ length: 11 }, (_, index) => ({
    attribute: 'note',
    operator: 'matches_regex' as const,
    value: patternOf(index),
  }));
  segmentId = (await api.segments.create(server.projectId, { key: 'heavy', conditions })).id;
  const targeting_rules = conditions.map((condition, index) => ({
    priority: index,
    conditions: [condition],
    variation: 'on',
  }));
  flagId = (await api.flags.create(booleanFlag('heavy'))).id;
  await api.flags.update(flagId, { targeting_rules });
  await api.flags.toggle(flagId, true);
  await api.flags.create(booleanFlag('light'));
  apiKey = (await api.apiKeys.create(server.environments.staging, { name: 'k' })).key!;
});
afterAll(() => server.close());

type Send = (note: string | string[]) => Reply<unknown>;
const contextOf = (note: string | string[]) => ({ user_key: 'u', attributes: { note } });
const dataPlane = () => server.withKey(apiKey).dataPlane;
const FLAG = 'The flag "heavy"';
/** The operations that evaluate a context. `field` contains the text; the message of the refusal names `subject`. */
const OPERATIONS: readonly (readonly [name: string, send: Send, field: string, subject: string])[] = [
  [
    'evaluate all flags',
    (note) => dataPlane().evaluate({ flags: ['*'], context: contextOf(note) }),
    'context.attributes.note',
    FLAG,
  ],
  [
    'evaluate some flags',
    (note) => dataPlane().evaluate({ flags: ['light', 'heavy'], context: contextOf(note) }),
    'context.attributes.note',
    FLAG,
  ],
  [
    'explain',
    (note) =>
      api.flags.explain({
        environment_id: server.environments.staging,
        flags: ['heavy'],
        context: contextOf(note),
      }),
    'context.attributes.note',
    FLAG,
  ],
  [
    'test a segment',
    (note) => api.segments.test(segmentId, { context: contextOf(note) }),
    'context.attributes.note',
    'The segment "heavy"',
  ],
  [
    'preview',
    (note) =>
      api.flags.preview(flagId, {
        instructions: [{ op: 'set_default', variation: 'on' }],
        contexts: [contextOf('x'), contextOf(note)],
      }),
    'contexts.1.attributes.note',
    FLAG,
  ],
];

const processorMs = (): number => process.cpuUsage().user / 1_000;

test.each(OPERATIONS)(
  'refuses to %s when the patterns would need too much work for a text',
  async (_name, send, field, subject) => {
    expect(await codeOf(send(SHORT))).toBe('OK');
    const before = processorMs();
    const refusal = await refused(send(LONG));
    expect(processorMs() - before).toBeLessThan(300);
    expect([refusal.code, refusal.details]).toEqual([
      'LIMIT_EXCEEDED',
      {
        field,
        location: 'body',
        limit: 'pattern_work',
        maximum: 700_000,
        work: WORK,
        ...(subject === FLAG && { flag_key: 'heavy' }),
      },
    ]);
    expect(refusal.message).toBe(
      `${subject} would need too much work: ${WORK} (characters times states of regular expressions); the maximum is 700000. ` +
        'Most of it is due to attributes.note, which has 100 characters. Send a shorter text, or use fewer and simpler conditions.',
    );
    expect(await codeOf(send([SHORT, SHORT]))).toBe('LIMIT_EXCEEDED');
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
  errorDetails: expect.stringContaining('The flag "heavy" would need too much work'),
};

test('OFREP refuses one flag with its own error format', async () => {
  expect((await ofrep('/heavy', SHORT)).status).toBe(200);
  expect(await ofrep('/heavy', LONG)).toEqual({ status: 400, body: FAULT });
});

test('OFREP reports the error of one flag among the results of all flags', async () => {
  const short = await ofrep('', SHORT);
  expect(short.body.flags.map((one: { key: string }) => one.key).sort()).toEqual(['heavy', 'light']);
  const { status, body } = await ofrep('', LONG);
  expect(status).toBe(200);
  expect(body.flags).toEqual([expect.objectContaining({ key: 'light', value: expect.any(Boolean) }), FAULT]);
});

test('accepts long texts that no pattern reads', async () => {
  const context = { user_key: 'u', attributes: { other: 'a'.repeat(40_000) } };
  expect(await codeOf(dataPlane().evaluate({ flags: ['*'], context }))).toBe('OK');
});

import { gzipSync } from 'node:zlib';
import { encode } from '@msgpack/msgpack';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDataPlane, type TestDataPlane } from '../../../test/data-plane.ts';

let plane: TestDataPlane;
beforeEach(async () => {
  plane = await createDataPlane();
});
afterEach(() => plane.app.close());

const exposure = {
  type: 'exposure',
  id: '1',
  timestamp: '2026-11-20T10:00:00.000Z',
  flag_key: 'dark-mode',
  variation_key: 'on',
  reason: 'TARGETING_RULE',
  rule_id: 'rule_1',
  user_key: 'u',
  ruleset_version: 7,
};
const envelope = { batch_id: 'b1', sent_at: '2026-11-20T10:00:00.000Z', sdk: { name: 't', version: '1' } };

test.each([
  ['JSON', (body: unknown) => Buffer.from(JSON.stringify(body)), {}],
  ['MessagePack', (body: unknown) => Buffer.from(encode(body)), { 'content-type': 'application/msgpack' }],
  ['gzipped JSON', (body: unknown) => gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' }],
  [
    'gzipped MessagePack',
    (body: unknown) => gzipSync(encode(body)),
    { 'content-type': 'application/msgpack', 'content-encoding': 'gzip' },
  ],
])('accepts a batch as %s', async (_name, write, headers) => {
  const answer = await plane.sendEvents(write({ ...envelope, events: [exposure] }), headers);
  expect(answer.statusCode).toBe(202);
  expect(answer.json()).toEqual({ data: { batch_id: 'b1', accepted: 1, duplicates: 0, rejected: [] } });
  expect(plane.batches[0]).toMatchObject({ grant: { kind: 'client' }, batch: { events: [exposure] } });
});

test('accepts the valid events of a batch and lists the others', async () => {
  const answer = await plane.sendEvents(
    JSON.stringify({ ...envelope, events: [{ type: 'poem' }, exposure, 7] }),
  );
  expect(answer.json().data).toMatchObject({
    accepted: 1,
    rejected: [
      { index: 0, code: 'UNKNOWN_TYPE' },
      { index: 2, code: 'VALIDATION_ERROR' },
    ],
  });
});

test.each([
  [{ events: [] }, 'batch_id'],
  [{ batch_id: 'b' }, 'events'],
  [{ batch_id: '', events: [] }, 'batch_id'],
  [{ batch_id: 'b', events: {} }, 'events'],
])('refuses the broken envelope %j', async (body, field) => {
  const answer = await plane.sendEvents(JSON.stringify(body));
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.details.fields[0].field).toBe(field);
});

test('reads the same batch from MessagePack as from JSON, whatever names and values it contains', async () => {
  const sent = JSON.parse(
    '{"batch_id":"b","events":[{"type":"track","id":"1","timestamp":"2026-11-20T10:00:00.000Z","event_name":"e",' +
      '"user_key":"u","properties":{"__proto__":{"a":1},"constructor":2,"toString":null,"":[0.1,9007199254740993]}}]}',
  );
  const msgpack = { 'content-type': 'application/msgpack' };
  const answers = [
    await plane.sendEvents(JSON.stringify(sent)),
    await plane.sendEvents(Buffer.from(encode(sent)), msgpack),
    await plane.sendEvents(gzipSync(encode(sent)), { ...msgpack, 'content-encoding': 'gzip' }),
  ];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
  const [first, ...others] = plane.batches.map(({ batch }) => JSON.stringify(batch));
  expect(first).toContain('"__proto__":{"a":1}');
  expect(others).toEqual([first, first]);
});

test('limits the values of a body, with the same error for JSON and MessagePack', async () => {
  const holding = (count: number) => ({ batch_id: 'b', events: [Array(count - 4).fill([])] });
  const limit = { limit: 'body_values', maximum: 65_536 };
  for (const [count, status] of [
    [65_536, 202],
    [65_537, 422],
  ] as const) {
    const body = holding(count);
    const asServer = { 'x-api-key': 'sdk-dev-server' };
    const asJson = await plane.sendEvents(JSON.stringify(body, null, 1), asServer);
    const asMsgpack = await plane.sendEvents(Buffer.from(encode(body)), {
      ...asServer,
      'content-type': 'application/msgpack',
    });
    for (const answer of [asJson, asMsgpack]) {
      expect(answer.statusCode).toBe(status);
      if (status === 422)
        expect(answer.json().error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: limit });
    }
  }
  const names = Array.from({ length: 25_001 }, (_, index) => [`name-${index}`, 0]);
  const members = { batch_id: 'b', events: [Object.fromEntries(names)] };
  for (const [payload, type] of [
    [JSON.stringify(members), 'application/json'],
    [Buffer.from(encode(members)), 'application/msgpack'],
  ] as const) {
    const answer = await plane.sendEvents(payload, { 'x-api-key': 'sdk-dev-server', 'content-type': type });
    expect(answer.json().error.details).toMatchObject({ limit: 'body_members', maximum: 25_000 });
  }
  const context = { user_key: 'u', attributes: { list: Array(65_536).fill(0) } };
  expect((await plane.evaluate({ flags: [], context })).json().error.details).toMatchObject(limit);
});

test('rejects only the event that is nested too deeply, in JSON and in MessagePack', async () => {
  const deep = JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`);
  const body = { batch_id: 'b', events: [{ type: 'track', properties: { deep } }] };
  const asMsgpack = Buffer.from(encode(body, { maxDepth: 2_000 }));
  for (const answer of [
    await plane.sendEvents(JSON.stringify(body)),
    await plane.sendEvents(asMsgpack, { 'content-type': 'application/msgpack' }),
  ]) {
    expect(answer.statusCode).toBe(202);
    expect(answer.json().data.rejected).toHaveLength(1);
  }
});

test('reports the byte at which MessagePack is invalid, and accepts MessagePack on no other route', async () => {
  const msgpack = { 'content-type': 'application/msgpack' };
  const broken = await plane.sendEvents(Buffer.from('dd02000000', 'hex'), msgpack);
  expect(broken.statusCode).toBe(400);
  expect(broken.json().error).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'The body is not valid MessagePack: byte 5 announces more values than there are bytes.',
  });
  for (const type of ['application/msgpack', 'Application/MsgPack; v=5']) {
    const refused = await plane.evaluate(Buffer.from('dd02000000', 'hex'), undefined, {
      'content-type': type,
    });
    expect(refused.statusCode).toBe(415);
  }
});

test('refuses a batch of more than a thousand events', async () => {
  const answer = await plane.sendEvents(JSON.stringify({ batch_id: 'b', events: Array(1_001).fill(0) }));
  expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
});

test('refuses bodies that inflate beyond the limit, broken gzip and other codings', async () => {
  const bomb = await plane.sendEvents(gzipSync(Buffer.alloc(50_000_000, 0x20)), {
    'content-encoding': 'gzip',
  });
  expect([bomb.statusCode, bomb.json().error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  const broken = await plane.sendEvents('not gzip', { 'content-encoding': 'gzip' });
  expect([broken.statusCode, broken.json().error.code]).toEqual([400, 'VALIDATION_ERROR']);
  const other = await plane.sendEvents('{}', { 'content-encoding': 'deflate' });
  expect([other.statusCode, other.json().error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  const msgpack = await plane.sendEvents(Buffer.from([0xc1]), { 'content-type': 'application/msgpack' });
  expect([msgpack.statusCode, msgpack.json().error.code]).toEqual([400, 'VALIDATION_ERROR']);
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDataPlane, type TestDataPlane } from '../../../test/data-plane.ts';

let plane: TestDataPlane;
beforeEach(async () => {
  plane = await createDataPlane();
});
afterEach(() => plane.app.close());

const off = { value: false, reason: 'DEFAULT', rule_id: null, variation_key: 'off' };
const disabled = {
  value: { text: 'x'.repeat(2_000) },
  reason: 'DISABLED',
  rule_id: null,
  variation_key: 'a',
};
const notFound = { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };

test('evaluates each requested flag once, and returns the time', async () => {
  const answer = await plane.evaluate({
    flags: ['dark-mode', 'no"pe', 'dark-mode'],
    context: { user_key: 'u' },
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.payload.match(/"dark-mode"/g)).toHaveLength(1);
  expect(answer.json()).toEqual({
    data: { evaluations: { 'dark-mode': off, 'no"pe': notFound }, evaluated_at: '2026-11-20T10:00:00.123Z' },
  });
});

test('evaluates every flag for ["*"], and only the visible ones for a client key', async () => {
  const all = await plane.evaluate({ flags: ['*'], context: { user_key: 'u' } });
  expect(all.json().data.evaluations).toEqual({ 'dark-mode': off, secret: disabled });
  const visible = await plane.evaluate({ flags: ['*'], context: { user_key: 'u' } }, 'sdk-dev-client');
  expect(visible.json().data.evaluations).toEqual({ 'dark-mode': off });
  const hidden = await plane.evaluate({ flags: ['secret'], context: { user_key: 'u' } }, 'sdk-dev-client');
  expect(hidden.json().data.evaluations).toEqual({ secret: notFound });
});

test('evaluates every flag for "*" among other keys, and reports unknown keys', async () => {
  const resultsOf = async (...flags: string[]) =>
    (await plane.evaluate({ flags, context: { user_key: 'u' } })).json().data.evaluations;
  const every = { 'dark-mode': off, secret: disabled };
  expect(await resultsOf('*', 'nope', 'secret', '*')).toEqual({ ...every, nope: notFound });
  expect(await resultsOf('secret', '*')).toEqual(every);
});

test('returns no results for no flags', async () => {
  const answer = await plane.evaluate({ flags: [], context: { user_key: 'u' } });
  expect(answer.json().data.evaluations).toEqual({});
});

test('treats __proto__ as an ordinary name of attributes and flags', async () => {
  const answer = await plane.evaluate(
    '{"flags":["dark-mode","__proto__"],"context":{"user_key":"u","attributes":{"__proto__":"yes"}}}',
  );
  expect(answer.json().data.evaluations['dark-mode']).toMatchObject({
    reason: 'TARGETING_RULE',
    rule_id: 'rule_1',
  });
  expect(answer.payload).toContain('"__proto__":{"value":null,"reason":"FLAG_NOT_FOUND"');
});

test.each([
  [{ flags: ['a'], context: {} }, 'context.user_key', 'required'],
  [{ flags: ['a'] }, 'context', 'required'],
  [{ context: { user_key: 'u' } }, 'flags', 'required'],
  [{ flags: 'a', context: { user_key: 'u' } }, 'flags', 'type'],
  [{ flags: [1], context: { user_key: 'u' } }, 'flags.0', 'type'],
  [{ flags: ['a'], context: { user_key: 7 } }, 'context.user_key', 'type'],
  [{ flags: ['a'], context: { user_key: null } }, 'context.user_key', 'type'],
  [{ flags: ['a'], context: { user_key: 'u', attributes: [] } }, 'context.attributes', 'type'],
  [[], '', 'type'],
])('refuses the body %j without coercing it', async (body, field, code) => {
  const answer = await plane.evaluate(body);
  expect(answer.statusCode).toBe(400);
  expect(answer.json().error.code).toBe('VALIDATION_ERROR');
  expect(answer.json().error.details.fields).toContainEqual(
    expect.objectContaining({ field, location: 'body', code }),
  );
});

test('reports broken JSON, an empty body, a wrong content type and a large body', async () => {
  const codeOf = async (answer: ReturnType<typeof plane.evaluate>) => {
    const { statusCode, json } = await answer;
    return [statusCode, json().error.code];
  };
  expect(await codeOf(plane.evaluate('{"flags":'))).toEqual([400, 'MALFORMED_JSON']);
  expect(await codeOf(plane.evaluate(''))).toEqual([400, 'MALFORMED_JSON']);
  const request = { method: 'POST', url: '/api/v1/evaluate', payload: 'x' } as const;
  for (const type of ['text/plain', 'application/msgpack', 'application/xml']) {
    const headers = { 'x-api-key': 'sdk-dev-server', 'content-type': type };
    expect(await codeOf(plane.app.inject({ ...request, headers }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
  const large = { flags: ['a'], context: { user_key: 'u', attributes: { text: 'x'.repeat(1_100_000) } } };
  expect(await codeOf(plane.evaluate(large))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

test('refuses deeply nested attributes before anything walks them', async () => {
  const evaluateAt = (depth: number) => {
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    return plane.evaluate(`{"flags":["*"],"context":{"user_key":"u","attributes":{"__proto__":${deep}}}}`);
  };
  expect((await evaluateAt(29)).statusCode).toBe(200);
  for (const depth of [30, 100_000]) {
    const answer = await evaluateAt(depth);
    expect([answer.statusCode, answer.json().error.details.fields[0].code]).toEqual([400, 'maxDepth']);
  }
});

test('reports too many attributes as an exceeded limit, not as a validation error', async () => {
  const attributes = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`a${index}`, 1]));
  const answer = await plane.evaluate({ flags: ['*'], context: { user_key: 'u', attributes } });
  expect([answer.statusCode, answer.json().error]).toMatchObject([
    422,
    {
      code: 'LIMIT_EXCEEDED',
      message: 'A limit is exceeded: context.attributes must have at most 1000 entries.',
      details: { field: 'context.attributes', limit: 'maxProperties', maximum: 1_000 },
    },
  ]);
});

test('limits the items of a list in the context', async () => {
  const evaluateWith = (items: number) =>
    plane.evaluate({
      flags: [],
      context: { user_key: 'u', attributes: { a: 1, tags: Array(items).fill('x') } },
    });
  expect((await evaluateWith(1_000)).statusCode).toBe(200);
  expect((await evaluateWith(1_001)).json().error).toEqual({
    code: 'LIMIT_EXCEEDED',
    message: 'A limit is exceeded: at most 1000 items in context.attributes.tags.',
    details: { limit: 'items', maximum: 1_000, field: 'context.attributes.tags' },
  });
});

test('limits the number of flags before it validates them', async () => {
  const flags = Array(10_001).fill(0);
  const answer = await plane.evaluate({ flags, context: 'none' });
  expect(answer.json().error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { field: 'flags' } });
});

test('lists unknown fields in a header, or refuses them when the request asks for strict handling', async () => {
  const body = { flags: ['dark-mode'], context: { user_key: 'u', plan: 'pro' }, note: 1 };
  const lenient = await plane.evaluate(body);
  expect([lenient.statusCode, lenient.headers['x-flagsvc-ignored-fields']]).toEqual([
    200,
    'context.plan, note',
  ]);
  const strict = await plane.evaluate(body, 'sdk-dev-server', { prefer: 'handling=strict' });
  expect(strict.statusCode).toBe(400);
  expect(strict.json().error.details.fields).toMatchObject([{ field: 'context.plan' }, { field: 'note' }]);
});

test('refuses bodies that are not UTF-8', async () => {
  const body = Buffer.from('{"flags":["dark-mode"],"context":{"user_key":"M\xfcller"}}', 'latin1');
  const bytes = await plane.evaluate(body);
  expect([bytes.statusCode, bytes.json().error]).toMatchObject([400, { code: 'MALFORMED_JSON' }]);
  const plain = { flags: ['dark-mode'], context: { user_key: 'u' } };
  const typed = (type: string) => plane.evaluate(plain, 'sdk-dev-server', { 'content-type': type });
  expect((await typed('application/json; charset=iso-8859-1')).statusCode).toBe(415);
  expect((await typed('application/json;charset="UTF-8"')).statusCode).toBe(200);
});

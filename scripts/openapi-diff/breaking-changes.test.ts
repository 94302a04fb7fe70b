import { describe, expect, test } from 'vitest';
import { startEmptyServer } from '../../reference-server/test/server.ts';
import { breakingChanges } from './breaking-changes.ts';
import type { Schema } from './compare-schemas.ts';
import type { Described, Message, OpenApiDocument } from './operations.ts';

const operation = (described: Described): OpenApiDocument => ({
  paths: { '/things': { post: { operationId: 'makeThing', ...described } } },
});
const json = (schema: Schema): Message => ({ content: { 'application/json': { schema } } });
const given = (schema: Schema) => operation({ requestBody: json(schema) });
const answered = (schema: Schema) => operation({ responses: { 200: json(schema) } });
const parameter = (schema: Schema, required = false) =>
  operation({ parameters: [{ in: 'query', name: 'page', required, schema }] });
const errors = (...codes: readonly string[]) =>
  operation({
    responses: { 409: json({ properties: { error: { properties: { code: { enum: codes } } } } }) },
  });
const secured = (...security: readonly object[]) =>
  operation({ security: security as Described['security'] & object });
const object = (properties: Record<string, Schema>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});
const text: Schema = { type: 'string' };
const number: Schema = { type: 'number' };
const nothing: OpenApiDocument = { paths: {} };

type Row = readonly [kind: string, before: OpenApiDocument, after: OpenApiDocument, lines: readonly string[]];

const OPERATIONS: readonly Row[] = [
  ['an operation that is gone', operation({}), nothing, ['POST /things: is gone']],
  [
    'another operationId',
    operation({}),
    operation({ operationId: 'createThing' }),
    ['POST /things: is called createThing, was makeThing'],
  ],
  ['a new operation', nothing, operation({}), []],
  ['a parameter that is gone', parameter(text), operation({}), ['POST /things, query page: is gone']],
  ['a new parameter', operation({}), parameter(text), []],
  [
    'a new parameter that is needed',
    operation({}),
    parameter(text, true),
    ['POST /things, query page: is needed now'],
  ],
  [
    'a parameter that became needed',
    parameter(text),
    parameter(text, true),
    ['POST /things, query page: is needed now'],
  ],
  [
    'a parameter of another type',
    parameter(text),
    parameter(number),
    ['POST /things, query page: no longer takes any string'],
  ],
  [
    'a body that became needed',
    operation({ requestBody: json(text) }),
    operation({ requestBody: { ...json(text), required: true } }),
    ['POST /things, body: is needed now'],
  ],
  ['a body that is gone', given(text), operation({}), ['POST /things, body, application/json: is gone']],
  [
    'another status of success',
    operation({ responses: { 200: {} } }),
    operation({ responses: { 201: {} } }),
    ['POST /things: may answer 201', 'POST /things, 200: is gone'],
  ],
  [
    'a format of answers that is gone',
    operation({ responses: { 200: { content: { 'text/csv': {} } } } }),
    operation({ responses: { 200: {} } }),
    ['POST /things, 200, text/csv: is gone'],
  ],
  [
    'a header of answers that is gone',
    operation({ responses: { 200: { headers: { ETag: {} } } } }),
    operation({ responses: { 200: {} } }),
    ['POST /things, 200, header ETag: is gone'],
  ],
  ['an error code that is gone', errors('A', 'B'), errors('A'), ['POST /things, 409 B: is gone']],
  ['a new error code', errors('A'), errors('A', 'B'), []],
  [
    'a webhook that is gone',
    { webhooks: { ping: { post: {} } } },
    { webhooks: {} },
    ['webhook ping: is gone'],
  ],
  [
    'a webhook that says something else',
    { webhooks: { ping: { post: { requestBody: json(text) } } } },
    { webhooks: { ping: { post: { requestBody: json(number) } } } },
    ['webhook ping: may be any number'],
  ],
];

const SECURITY: readonly Row[] = [
  [
    'an operation that was open',
    operation({}),
    secured({ token: [] }),
    ['POST /things: is no longer open to everybody'],
  ],
  ['an operation that became open', secured({ token: [] }), operation({}), []],
  [
    'another scheme',
    secured({ token: [] }),
    secured({ key: [] }),
    ['POST /things: is no longer open to token'],
  ],
  ['a further scheme to choose', secured({ token: [] }), secured({ token: [] }, { key: [] }), []],
  [
    'a further scheme that is needed',
    secured({ token: [] }),
    secured({ token: [], key: [] }),
    ['POST /things: is no longer open to token'],
  ],
  [
    'a scheme that is gone',
    { components: { securitySchemes: { key: { type: 'apiKey' } } } },
    { components: {} },
    ['security scheme key: is gone'],
  ],
  [
    'a scheme of another header',
    { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } },
    { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } } },
    ['security scheme key: is another'],
  ],
];

/** What is said of a schema when it is given, and what when it is answered. */
const SCHEMAS: readonly (readonly [
  kind: string,
  before: Schema,
  after: Schema,
  given: readonly string[],
  answered: readonly string[],
])[] = [
  ['another type', text, number, [': no longer takes any string'], [': may be any number']],
  ['a wider type', { type: 'integer' }, number, [], [': may be any number']],
  ['null beside the type', text, { anyOf: [text, { type: 'null' }] }, [], [': may be null']],
  ['null written as a type', { type: ['string', 'null'] }, text, [': no longer takes null'], []],
  ['a value more', { enum: ['a'] }, { enum: ['a', 'b'] }, [], [': may be "b"']],
  ['a value less', { enum: ['a', 'b'] }, { enum: ['a'] }, [': no longer takes "b"'], []],
  [
    'values listed otherwise',
    { enum: ['a', 1] },
    { anyOf: [{ const: 1, type: 'integer' }, { const: 'a' }] },
    [],
    [],
  ],
  ['any value in place of some', { enum: ['a'] }, text, [], [': may be any string']],
  ['a field more', object({}), object({ a: text }), [], []],
  ['a field less', object({ a: text }), object({}), ['.a: is gone'], ['.a: is gone']],
  ['a needed field less', object({ a: text }, ['a']), object({}), ['.a: is gone'], ['.a: is gone']],
  ['a field that became needed', object({ a: text }), object({ a: text }, ['a']), ['.a: is needed now'], []],
  ['a new field that is needed', object({}), object({ a: text }, ['a']), ['.a: is needed now'], []],
  [
    'a field that became optional',
    object({ a: text }, ['a']),
    object({ a: text }),
    [],
    ['.a: may be missing'],
  ],
  [
    'no further fields',
    object({}),
    { ...object({}), additionalProperties: false },
    [': no longer takes fields that it does not name'],
    [],
  ],
  [
    'another type under any name',
    { type: 'object', additionalProperties: text },
    { type: 'object', additionalProperties: number },
    ['.*: no longer takes any string'],
    ['.*: may be any number'],
  ],
  [
    'another type of items',
    { type: 'array', items: object({ a: text }) },
    { type: 'array', items: object({ a: number }) },
    ['[].a: no longer takes any string'],
    ['[].a: may be any number'],
  ],
  ['a lower limit', { ...text, maxLength: 9 }, { ...text, maxLength: 5 }, [': maxLength is 5, was 9'], []],
  ['a higher limit', { ...text, maxLength: 5 }, { ...text, maxLength: 9 }, [], [': maxLength is 9, was 5']],
  ['a new limit', number, { ...number, minimum: 1 }, [': minimum is 1, was not set'], []],
  [
    'another pattern',
    { ...text, pattern: 'a' },
    { ...text, pattern: 'b' },
    [': pattern is "b", was "a"'],
    [': pattern is "b", was "a"'],
  ],
  [
    'a keyword that is not read',
    { allOf: [text] },
    { allOf: [number] },
    [': allOf is [{"type":"number"}], was [{"type":"string"}]'],
    [': allOf is [{"type":"number"}], was [{"type":"string"}]'],
  ],
  ['other words', { ...text, description: 'a' }, { ...text, description: 'b', examples: ['c'] }, [], []],
  [
    'a choice whose first way has changed most',
    { anyOf: [object({ a: text, b: text }), object({ c: text })] },
    { anyOf: [object({ a: number, b: number }), object({ c: text })] },
    ['.a: no longer takes any string', '.b: no longer takes any string'],
    ['.a: may be any number', '.b: may be any number'],
  ],
];

test.each([...OPERATIONS, ...SECURITY])('tells of %s', (_, before, after, lines) => {
  expect(breakingChanges(before, after)).toEqual(lines);
  expect(breakingChanges(before, before)).toEqual([]);
});

describe('schemas', () => {
  test.each(SCHEMAS)('tells of %s', (_, before, after, ofGiven, ofAnswered) => {
    expect(breakingChanges(given(before), given(after))).toEqual(
      ofGiven.map((line) => `POST /things, body${line}`),
    );
    expect(breakingChanges(answered(before), answered(after))).toEqual(
      ofAnswered.map((line) => `POST /things, 200${line}`),
    );
    expect(breakingChanges(given(before), given(before))).toEqual([]);
  });

  test('those with a name are told of once, by it, and may hold themselves', () => {
    const tree = (label: Schema) => ({
      ...operation({
        requestBody: json({ $ref: '#/components/schemas/Tree' }),
        responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Tree' } }) },
      }),
      components: {
        schemas: {
          Tree: object({ label, branches: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } }),
        },
      },
    });
    expect(breakingChanges(tree(text), tree(text))).toEqual([]);
    expect(breakingChanges(tree(text), tree(number))).toEqual([
      'given Tree.label: no longer takes any string',
      'answered Tree.label: may be any number',
    ]);
  });
});

test('the served document breaks nothing of itself, and another one nothing unseen', async () => {
  const server = await startEmptyServer();
  const document: OpenApiDocument = (await server.app.inject('/openapi.json')).json();
  await server.close();
  expect(breakingChanges(document, structuredClone(document))).toEqual([]);
  const operations = Object.values(document.paths!).flatMap((path) => Object.keys(path));
  const messages = Object.keys(document.webhooks!);
  const schemes = Object.keys(document.components!.securitySchemes!);
  expect(breakingChanges(document, {})).toHaveLength(operations.length + messages.length + schemes.length);
});

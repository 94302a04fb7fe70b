import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { typeOfSchema } from '../src/typegen/schema-type.ts';
import { runTypegen } from '../src/typegen/typegen.ts';

test.each<[string, unknown, string]>([
  ['plain types', { type: ['string', 'integer', 'null', 'number'] }, 'null | number | string'],
  [
    'an object with required and other fields',
    { type: 'object', required: ['a'], properties: { a: { type: 'boolean' }, 'b-c': { type: 'string' } } },
    "{ readonly a: boolean; readonly 'b-c'?: string }",
  ],
  ['an object of any fields', { type: 'object' }, 'Readonly<Record<string, unknown>>'],
  [
    'an object without fields',
    { type: 'object', additionalProperties: false },
    'Readonly<Record<string, never>>',
  ],
  [
    'a dictionary',
    { type: 'object', additionalProperties: { type: 'number' } },
    'Readonly<Record<string, number>>',
  ],
  [
    'fields beside a dictionary',
    { properties: { a: { type: 'string' } }, additionalProperties: { type: 'number' } },
    '{ readonly a?: string; readonly [name: string]: unknown }',
  ],
  ['an array', { items: { type: ['string', 'null'] } }, 'readonly (null | string)[]'],
  [
    'a tuple with a rest',
    { type: 'array', prefixItems: [{ type: 'string' }, true], items: { type: 'number' } },
    'readonly [string, unknown, ...(number)[]]',
  ],
  ['a closed tuple', { type: 'array', prefixItems: [{ const: 1 }], items: false }, 'readonly [1]'],
  [
    'values',
    { enum: ["it's", 5, null, true, { a: ['x'] }] },
    "'it\\'s' | 5 | null | true | { readonly a: readonly ['x'] }",
  ],
  ['alternatives', { anyOf: [{ type: 'string' }, { const: false }] }, 'false | string'],
  ['all of several', { allOf: [{ type: 'string' }, { enum: ['a', 'b'] }] }, "(string) & ('a' | 'b')"],
  [
    'references, also twice to one place',
    {
      $defs: { 'a/b': { type: 'integer', minimum: 1 } },
      properties: { x: { $ref: '#/$defs/a~1b' }, y: { $ref: '#/$defs/a~1b' } },
    },
    '{ readonly x?: number; readonly y?: number }',
  ],
  ['no constraint', {}, 'unknown'],
  [
    'a field __proto__',
    JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    '{ readonly __proto__?: string }',
  ],
])('a schema of %s has its type', (_, schema, type) => {
  expect(typeOfSchema(schema)).toBe(type);
});

test.each<[unknown, string]>([
  [5, '# must be an object or a boolean'],
  [{ properties: { a: [] } }, '#/properties/a must be an object or a boolean'],
  [{ type: 'text' }, '#/type is no type: "text"'],
  [{ type: 'constructor' }, '#/type is no type: "constructor"'],
  [{ anyOf: [] }, '#/anyOf must be a filled array'],
  [{ enum: 'a' }, '#/enum must be a filled array'],
  [{ $ref: 'https://example.com/a.json' }, '#/$ref must refer to a part of the same file'],
  [{ $ref: '#/$defs/missing' }, '#/$ref refers to nothing: #/$defs/missing'],
  [{ $ref: '#/constructor' }, '#/$ref refers to nothing'],
  [{ properties: { child: { $ref: '#' } } }, '#/properties/child/$ref refers to itself'],
  [
    { $defs: { a: { items: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' },
    '#/$defs/a/items/$ref refers to itself',
  ],
])('the schema %j is refused with its place', (schema, message) => {
  expect(() => typeOfSchema(schema)).toThrow(message);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-schemas-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('--schemas gives JSON flags the types of their files, and names a file that it cannot use', async () => {
  const source = join(folder, 'ruleset.json');
  const flags = [
    createTestFlag('limits', { perDay: 5 }),
    createTestFlag('plain', 'x'),
    createTestFlag('other', { a: 1 }),
  ];
  writeFileSync(source, JSON.stringify(createTestRuleset(flags)));
  const schemas = join(folder, 'schemas');
  mkdirSync(schemas);
  const save = (key: string, text: string) => writeFileSync(join(schemas, `${key}.schema.json`), text);
  save(
    'limits',
    '{"type":"object","required":["perDay"],"properties":{"perDay":{"type":"integer"},"perHour":{"type":"integer"}}}',
  );
  save('plain', '{"type":"number"}');
  writeFileSync(join(schemas, 'README.md'), 'not a schema');
  const out = join(folder, 'flags.d.ts');
  let said = '';
  const print = (text: string) => {
    said += text;
  };
  const run = (...more: string[]) =>
    runTypegen([source, '--schemas', schemas, '--out', out, ...more], { env: {}, print, printError: print });
  expect(await run()).toBe(0);
  const text = readFileSync(out, 'utf8');
  expect(text).toContain('    limits: { readonly perDay: number; readonly perHour?: number };\n');
  expect(text).toContain("    plain: 'x';\n");
  expect(text).toContain('    other: { readonly a: number };\n');
  expect(await run('--check')).toBe(0);
  save('limits', '{"type":"obj"}');
  said = '';
  expect(await run()).toBe(2);
  expect(said).toContain(`${join(schemas, 'limits.schema.json')}: #/type is no type: "obj"`);
  save('limits', '{');
  expect(await run()).toBe(2);
  rmSync(schemas, { recursive: true });
  said = '';
  expect(await run()).toBe(2);
  expect(said).toContain('schemas cannot be read (ENOENT)');
});

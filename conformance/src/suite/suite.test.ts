import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadScenarios, loadServerScenarios } from '../scenarios/load.ts';
import { decodeTagged, differences, sameJson } from './json-value.ts';
import { loadAllRequirements } from './requirements.ts';
import { loadSuite, parseCsv, suiteDirectory } from './suite.ts';

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'flagsvc-suite-'));
  for (const name of ['vectors', 'index.json', 'requirements.json', 'VERSION']) {
    cpSync(join(suiteDirectory(), name), join(copy, name), { recursive: true });
  }
});
afterEach(() => rmSync(copy, { recursive: true }));

const edit = (name: string, change: (text: string) => string) =>
  writeFileSync(join(copy, name), change(readFileSync(join(copy, name), 'utf8')));

test('loads the cases that the index lists', () => {
  const suite = loadSuite(copy);
  expect(suite.vectors.length).toBeGreaterThan(1_500);
  expect(suite.buckets).toHaveLength(10_000);
});

test('refuses a suite that lacks a vector', () => {
  edit('vectors/state.json', (text) => {
    const file = JSON.parse(text) as { vectors: unknown[] };
    return JSON.stringify({ ...file, vectors: file.vectors.slice(1) });
  });
  expect(() => loadSuite(copy)).toThrow(/state\.json has \d+ cases, but the index says \d+/);
});

test('refuses a suite with a changed expectation', () => {
  edit('vectors/state.json', (text) => text.replace('"DEFAULT"', '"DISABLED"'));
  expect(() => loadSuite(copy)).toThrow('vectors/state.json was changed');
});

test('refuses a suite with a missing or an additional file', () => {
  writeFileSync(join(copy, 'vectors/extra.json'), '{"vectors":[{"id":"extra-0001"}]}');
  expect(() => loadSuite(copy)).toThrow('vectors/extra.json is not in the index');
  rmSync(join(copy, 'vectors/extra.json'));
  rmSync(join(copy, 'vectors/state.json'));
  expect(() => loadSuite(copy)).toThrow('vectors/state.json is in the index but not in the suite');
});

test('gives each case a unique id and cites only sentences that exist', () => {
  const suite = loadSuite();
  const known = loadAllRequirements(suite);
  const cases = [
    ...suite.vectors,
    ...loadScenarios(suite.directory).scenarios,
    ...loadServerScenarios(suite.directory).scenarios,
  ];
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  const unknown = cases.flatMap(({ id, requirements }) =>
    requirements.filter((name) => !known.has(name)).map((name) => `${id}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('parses quoted fields', () => {
  expect(parseCsv('a,b\r\n"x,""y""\nz",2\n,\n')).toEqual([
    ['a', 'b'],
    ['x,"y"\nz', '2'],
    ['', ''],
  ]);
});

test('decodes tagged values and compares by value', () => {
  const decoded = decodeTagged({
    n: { $number: 'NaN' },
    gone: { $absent: true },
    ['__proto__x']: 1,
    deep: [{ $number: '-0' }],
  }) as Record<string, unknown>;
  expect(decoded['n']).toBeNaN();
  expect('gone' in decoded).toBe(false);
  expect(sameJson({ a: 1, b: [2] }, { b: [2.0], a: 1 })).toBe(true);
  expect(sameJson({ a: undefined }, {})).toBe(false);
  expect(sameJson(true, 1)).toBe(false);
  expect(differences({ value: 1, reason: 'X' }, { value: 1, reason: 'Y', more: 1 })).toEqual(['reason']);
  expect(differences({ value: null }, {})).toEqual(['value']);
});

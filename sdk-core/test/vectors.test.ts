import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeTagged } from '../../conformance/src/suite/json-value.ts';
import {
  bucket,
  type Context,
  createEvaluator,
  type EvaluationResult,
  hash,
  parseRuleset,
  type Ruleset,
} from '../src/index.ts';
import { createRuleIndex } from '../src/rule-index.ts';

interface Call {
  readonly flag: unknown;
  readonly context: unknown;
  readonly expect: Partial<EvaluationResult>;
}
interface Vector {
  readonly id: string;
  readonly ruleset: unknown;
  readonly calls: readonly Call[];
}

const folder = new URL('../../conformance/vectors/', import.meta.url);

function read(file: string): readonly Vector[] {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8')).vectors;
}

const index = JSON.parse(readFileSync(new URL('../index.json', folder), 'utf8')) as {
  readonly files: readonly { readonly file: string; readonly count: number }[];
};
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));

test('has every vector that the index counts', () => {
  const counts = Object.fromEntries(
    index.files
      .filter(({ file }) => file.endsWith('.json'))
      .map(({ file, count }) => [file.split('/').at(-1), count]),
  );
  expect(Object.fromEntries(files.map((file) => [file, read(file).length]))).toEqual(counts);
});

describe.each(files)('%s', (file) => {
  test.each(read(file).map((vector) => [vector.id, vector] as const))('%s', (_, vector) => {
    const ruleset = decodeTagged(vector.ruleset) as Ruleset;
    for (const options of [undefined, { createRuleIndex }]) {
      const evaluator = createEvaluator(ruleset, options);
      const parsed = createEvaluator(parseRuleset(ruleset).ruleset ?? ruleset, options);
      for (const call of vector.calls) {
        const flag = decodeTagged(call.flag) as string;
        const context = decodeTagged(call.context) as Context;
        const expected = decodeTagged(call.expect);
        expect(evaluator.evaluate(flag, context)).toMatchObject(expected as object);
        expect(parsed.evaluate(flag, context)).toMatchObject(expected as object);
        expect(evaluator.explain(flag, context).result).toBe(evaluator.evaluate(flag, context));
        const all = evaluator.evaluateAll(context);
        if (typeof flag === 'string' && flag in all)
          expect(all[flag]).toBe(evaluator.evaluate(flag, context));
      }
    }
  });
});

test('computes the hashes and buckets of bucket.csv', () => {
  const [, ...rows] = readFileSync(new URL('bucket.csv', folder), 'utf8').trim().split('\n');
  expect(rows.length).toBeGreaterThanOrEqual(10_000);
  for (const row of rows) {
    const [revision, flag, user, hashed, expected] = fieldsOf(row);
    expect(`${row} → ${bucket(flag!, user!, Number(revision) as 1 | 2)}`).toBe(`${row} → ${expected}`);
    // For revision 2 the file has the mixed hash, which is not exported.
    if (revision === '1') expect(`${row} → ${hash(`${flag}:${user}`)}`).toBe(`${row} → ${hashed}`);
  }
});

/** Splits a line of comma-separated values into its fields. */
function fieldsOf(row: string): string[] {
  const fields = row.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)!.slice(0, 5);
  return fields.map((field) =>
    field
      .replace(/,$/, '')
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"'),
  );
}

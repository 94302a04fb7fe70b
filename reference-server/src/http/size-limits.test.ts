import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { findOversize, type SizedSchema } from './size-limits.ts';

const schema = Type.Object({
  tags: Type.Array(Type.String(), { maxItems: 2 }),
  rules: Type.Array(Type.Object({ values: Type.Array(Type.String(), { maxItems: 1 }), name: Type.String() })),
  labels: Type.Record(Type.String(), Type.Unknown(), { maxProperties: 1 }),
  free: Type.Unknown(),
}) as SizedSchema;

test.each([
  [{ tags: [1, 2], rules: [{ values: [1] }], labels: { a: 1 }, free: [1, 2, 3, 4] }, undefined],
  [{ tags: [1, 2, 3] }, '/tags maxItems 2'],
  [{ rules: [{ values: [1] }, { values: [1, 2] }] }, '/rules/1/values maxItems 1'],
  [{ labels: { a: 1, __proto_: 2 } }, '/labels maxProperties 1'],
  [{ tags: 'abc', rules: [null, 1, []], labels: [1, 2] }, undefined],
  [null, undefined],
  [[1, 2, 3], undefined],
])('finds the list or object with too many members in %j, whatever else is wrong', (value, expected) => {
  const found = findOversize(schema, value);
  const { instancePath, keyword, params } = found ?? {};
  expect(found && `${instancePath} ${keyword} ${params?.['limit']}`).toBe(expected);
});

import { expect, test } from 'vitest';
import { canEvaluate } from './writable-ruleset.ts';

/** A list nested this many levels deep. */
const nested = (levels: number): unknown => (levels > 0 ? [nested(levels - 1)] : 'x');
const callWith = (attribute: unknown) => ({
  flag: 'f',
  context: { user_key: 'u', attributes: { plan: attribute } },
  expect: {},
});

test.each([
  [29, true],
  [30, false],
])('a server accepts a context with a list of %i levels: %s', (levels, can) => {
  // Body, context and attributes are the first three of 32 levels.
  expect(canEvaluate(callWith(nested(levels)) as unknown as Parameters<typeof canEvaluate>[0])).toBe(can);
});

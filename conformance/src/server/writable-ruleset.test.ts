import { expect, test } from 'vitest';
import { isAskable } from './writable-ruleset.ts';

/** Levels of lists, one in the other. */
const nested = (levels: number): unknown => (levels > 0 ? [nested(levels - 1)] : 'x');
const callWith = (attribute: unknown) => ({
  flag: 'f',
  context: { user_key: 'u', attributes: { plan: attribute } },
  expect: {},
});

test.each([
  [29, true],
  [30, false],
])('a context with a list of %i levels can be asked of a server: %s', (levels, can) => {
  // Body, context and attributes are the first three of 32.
  expect(isAskable(callWith(nested(levels)) as unknown as Parameters<typeof isAskable>[0])).toBe(can);
});

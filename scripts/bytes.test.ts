import type { Plugin } from 'esbuild';
import { test } from 'vitest';
import { root } from './sources.ts';
import { bundle, expectWithin } from './weight.ts';

/** Something in the place of the pattern matcher. */
const withoutMatcher: Plugin = {
  name: 'without-matcher',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/pattern\.ts$/ }, () => ({
      contents:
        'export const compilePattern = () => {}, patternFault = () => -1, isPatternValid = () => false;',
      loader: 'ts',
    })),
};

test.each([
  { name: 'sdk-core, everything', entry: "export * from './index.ts'", goal: 3_300, ceiling: 5_207 },
  {
    name: 'sdk-core without the pattern matcher',
    entry: "export * from './index.ts'",
    goal: 2_000,
    ceiling: 3_721,
    plugins: [withoutMatcher],
  },
  { name: 'sdk-core, bucket alone', entry: "export { bucket } from './index.ts'", goal: 250, ceiling: 250 },
  {
    name: 'sdk-core, client machine without an evaluator',
    entry: "export { createClient } from './client.ts'",
    goal: 2_000,
    ceiling: 3_351,
  },
])('$name stays within its bytes', async ({ name, entry, plugins = [], ...limits }) => {
  const { bytes } = await bundle(entry, `${root}/sdk-core/src`, { plugins });
  expectWithin(name, bytes, limits);
});

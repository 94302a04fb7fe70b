import type { Plugin } from 'esbuild';
import { test } from 'vitest';
import { root } from './sources.ts';
import { bundle, expectWithin } from './weight.ts';

/** Replaces the pattern matcher by empty functions, to measure the other code. */
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
  { name: 'sdk-core, everything', entry: "export * from './index.ts'", gate: 5_730 },
  {
    name: 'sdk-core without the pattern matcher',
    entry: "export * from './index.ts'",
    gate: 4_150,
    plugins: [withoutMatcher],
  },
  { name: 'sdk-core, bucket alone', entry: "export { bucket } from './index.ts'", gate: 250 },
])('$name stays within its size limit', async ({ name, entry, gate, plugins = [] }) => {
  const { bytes } = await bundle(entry, `${root}/sdk-core/src`, { plugins });
  expectWithin(name, bytes, gate);
});

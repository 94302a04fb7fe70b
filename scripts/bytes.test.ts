import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from './sources.ts';

/**
 * Bytes of a door, bundled, minified and gzipped as an application would. `goal` is what we want to announce,
 * `ceiling` what holds today: it may only go down, and a goal that is met becomes the ceiling.
 */
const DOORS = [
  { name: 'sdk-core, everything', entry: "export * from './index.ts'", goal: 3_300, ceiling: 5_250 },
  {
    name: 'sdk-core without the pattern matcher',
    entry: "export * from './index.ts'",
    goal: 2_000,
    ceiling: 3_745,
    without: /\/pattern\.ts$/,
  },
  { name: 'sdk-core, bucket alone', entry: "export { bucket } from './index.ts'", goal: 250, ceiling: 250 },
  {
    name: 'sdk-core, client machine without an evaluator',
    entry: "export { createClient } from './client.ts'",
    goal: 2_000,
    ceiling: 3_285,
  },
];

async function bytesOf(entry: string, without?: RegExp): Promise<number> {
  const stub: Plugin = {
    name: 'stub',
    setup: ({ onLoad }) => {
      if (!without) return;
      const contents =
        'export const compilePattern = () => {}, patternFault = () => -1, isPatternValid = () => false;';
      onLoad({ filter: without }, () => ({ contents, loader: 'ts' }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: `${root}/sdk-core/src`, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['@flagsvc/source'],
    write: false,
    plugins: [stub],
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
}

test.each(DOORS)('$name stays within its bytes', async ({ name, entry, goal, ceiling, without }) => {
  const bytes = await bytesOf(entry, without);
  console.log(
    `${name}: ${bytes} bytes, ceiling ${ceiling}, goal ${goal}${bytes <= goal ? '' : `, missed by ${bytes - goal}`}`,
  );
  expect(bytes).toBeLessThanOrEqual(ceiling);
});

/** What a page pays: the sources bundled and minified as an app would, min + gzip at level 9; React never counts. */
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'esbuild';
import { expect, test } from 'vitest';

/** What only a dynamic import brings is not loaded with the page. */
const later: Plugin = {
  name: 'later',
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
};

const bytesOf = async (contents: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['react'],
    conditions: ['@flagsvc/source'],
    plugins: [later],
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
};
const REACT = "export * from '@flagsvc/sdk-react';";
const CLIENT = "export { createBrowserClient, localMode } from '@flagsvc/sdk-browser';";

test('all hooks together stay within 700 bytes', async () => {
  const bytes = await bytesOf(REACT);
  console.log(`sdk-react, all hooks: ${bytes} bytes min+gz (gate 700, stretch 520)`);
  expect(bytes).toBeLessThanOrEqual(700);
});

// The client has its own ceiling in sdk-browser; this one holds what React adds to it.
test('a React app, all in, evaluating in the page, pays no more than the client and 700 bytes', async () => {
  const [all, client] = [await bytesOf(REACT + CLIENT), await bytesOf(CLIENT)];
  const goal = 6700;
  const verdict = all <= goal ? 'reached' : `missed by ${all - goal}`;
  console.log(
    `a React app, all in, local: ${all} bytes min+gz, ${client} of it the client (goal ${goal} ${verdict})`,
  );
  expect(all - client).toBeLessThanOrEqual(700);
});

/** What a page pays: the sources bundled and minified as an app would, min + gzip. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));
/** What is loaded with the page; what only a dynamic import brings is not. */
const bundle = async (contents: string) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    splitting: true,
    outdir: 'out',
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['@flagsvc/source'],
  });
  const loaded = new Set(['out/stdin.js']);
  // A set is walked in order of insertion, what is added on the way included.
  for (const file of loaded) {
    for (const { path, kind } of metafile.outputs[file]!.imports) {
      if (kind === 'import-statement') loaded.add(path);
    }
  }
  const files = outputFiles.filter(({ path }) => loaded.has(relative(folder, path)));
  const inputs = [...loaded].flatMap((file) =>
    Object.entries(metafile.outputs[file]!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  return {
    bytes: files.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0),
    inputs: inputs.map(([file]) => file),
  };
};

/** The goal is what is wanted; the ceiling is where we are, and nobody may get worse unseen. */
test.each([
  { name: 'remote evaluation', names: 'createBrowserClient, remoteMode', goal: 3300, ceiling: 5810 },
  { name: 'local evaluation', names: 'createBrowserClient, localMode', goal: 6000, ceiling: 10730 },
  {
    name: 'remote evaluation with its stream',
    names: 'createBrowserClient, remoteMode',
    more: `export * from '@flagsvc/sdk-browser/streaming';`,
    goal: 3300,
    ceiling: 8560,
  },
])('$name stays under $ceiling bytes (goal $goal)', async ({ name, names, more = '', goal, ceiling }) => {
  const { bytes } = await bundle(`${more} export { ${names} } from '@flagsvc/sdk-browser'`);
  const verdict = bytes <= goal ? 'reached' : `missed by ${bytes - goal}`;
  console.log(`sdk-browser, ${name}: ${bytes} bytes min+gz (ceiling ${ceiling}; goal ${goal} ${verdict})`);
  expect(bytes).toBeLessThanOrEqual(ceiling);
});

test('a page that evaluates remotely carries no evaluator and no stream, and no page carries ky, MessagePack or Node', async () => {
  const remote = await bundle(`export { createBrowserClient, remoteMode } from '@flagsvc/sdk-browser'`);
  expect(
    remote.inputs.filter((file) =>
      /evaluator|pattern|automaton|conditions|program|ruleset\.ts|semver|bucket|local-source|changed-flags|\/stream|eventsource|openfeature/.test(
        file,
      ),
    ),
  ).toEqual([]);
  const all = await bundle(`export * from '@flagsvc/sdk-browser'`);
  expect(all.inputs.filter((file) => !/^(\.\.\/sdk-core\/)?src\/|<stdin>/.test(file))).toEqual([]);
});

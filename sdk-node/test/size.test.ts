/** What an edge function pays: the door bundled into one file and minified as its tools do, min + gzip. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
/** The goal is what is wanted; the ceiling is where we are, and nobody may get worse unseen. */
const GOAL = 7000;
const CEILING = 11_020;

test('the edge door stays within its bytes, and carries neither Node nor a library', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(folder, 'src/edge.ts')],
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    conditions: ['@flagsvc/source'],
  });
  const bytes = gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
  const verdict = bytes <= GOAL ? 'reached' : `missed by ${bytes - GOAL}`;
  console.log(`sdk-node, edge: ${bytes} bytes min+gz (ceiling ${CEILING}; goal ${GOAL} ${verdict})`);
  expect(bytes).toBeLessThanOrEqual(CEILING);
  const foreign = Object.keys(metafile.inputs).filter((file) => !/^(\.\.\/sdk-core\/)?src\//.test(file));
  expect(foreign).toEqual([]);
});

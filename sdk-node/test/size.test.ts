/** What an edge function pays: the door bundled into one file and minified as its tools do, min + gzip. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');
/** The goal is what is wanted; the ceiling is where we are, and nobody may get worse unseen. */
const GOAL = 7000;

test.each([
  { name: 'the edge door', doors: ['edge'], ceiling: 10_030, libraries: /^$/ },
  {
    name: 'the edge door with its stream',
    doors: ['edge', 'streaming'],
    ceiling: 12_365,
    libraries: /\/eventsource-parser\//,
  },
])(
  '$name stays within its bytes, and carries neither Node nor more libraries than it needs',
  async ({ name, doors, ceiling, libraries }) => {
    const { outputFiles, metafile } = await build({
      stdin: {
        contents: doors.map((door) => `export * from './src/${door}.ts';`).join(''),
        resolveDir: folder,
      },
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
    console.log(`sdk-node, ${name}: ${bytes} bytes min+gz (ceiling ${ceiling}; goal ${GOAL} ${verdict})`);
    expect(bytes).toBeLessThanOrEqual(ceiling);
    const own = /^((\.\.\/sdk-core\/)?src\/|<stdin>)/;
    const foreign = Object.keys(metafile.inputs).filter((file) => !own.test(file) && !libraries.test(file));
    expect(foreign).toEqual([]);
  },
);

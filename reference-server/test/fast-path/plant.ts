import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { FastPath } from '../../src/data-plane/fast-path/fast-path.ts';

/** A defect: `find`, which occurs once in `file`, is replaced by `replace`. */
export interface Defect {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const folder = fileURLToPath(new URL('../../src/data-plane/fast-path/', import.meta.url));

/** The sources of the fast path by file name. */
export const sources: ReadonlyMap<string, string> = new Map(
  readdirSync(folder)
    .filter((name) => /(?<!\.test)\.ts$/.test(name))
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const),
);

/** The fast path, compiled in memory from its sources, with the defect if one is given. */
export async function createPlanted(defect?: Defect): Promise<FastPath> {
  const { outputFiles } = await build({
    stdin: { contents: `export { createFastPath } from './fast-path.ts';`, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    conditions: ['@flagsvc/source'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'plant',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (defect === undefined || path !== join(folder, defect.file)) return undefined;
            return { contents: plant(defect), loader: 'ts' };
          });
        },
      },
    ],
  });
  const module = { exports: {} as { createFastPath(): FastPath } };
  new Function('module', 'require', outputFiles[0]!.text)(module, process.getBuiltinModule);
  return module.exports.createFastPath();
}

/** The source with the defect. Throws if `find` does not occur exactly once. */
function plant({ file, find, replace }: Defect): string {
  const parts = (sources.get(file) ?? '').split(find);
  if (parts.length !== 2)
    throw new Error(`${file} contains the text ${parts.length - 1} times instead of once: ${find}`);
  return parts.join(replace);
}

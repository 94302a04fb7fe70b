/** Plants a defect in a copy of the evaluator's source, in memory, and bundles it. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Mutant } from './mutant.ts';

const folder = fileURLToPath(new URL('../../sdk-core/src/', import.meta.url));
const entry = `export { createEvaluator } from './index.ts'; export { createRuleIndex } from './rule-index.ts';`;
/** The evaluator's folders. A file name occurs in only one of them. */
const folders = ['.', 'evaluator', 'protocol'].map((name) => join(folder, name));
/** The sources by file name, read once, so that edits during a run have no effect. */
const sources = new Map(
  folders.flatMap((path) =>
    readdirSync(path)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [name, readFileSync(join(path, name), 'utf8')] as const),
  ),
);

/** Returns the file's text with the defect. Throws when the mutant's `find` no longer matches the source. */
export function plant({ id, file, find, times, replace }: Mutant): string {
  const parts = (sources.get(file) ?? '').split(find);
  if (parts.length !== times + 1) {
    throw new Error(`${id}: its text occurs ${parts.length - 1} times in ${file}, not ${times}: ${find}`);
  }
  return parts.join(replace);
}

/** Bundles the evaluator into a script for `load`; without a mutant, the original evaluator. */
export async function compile(mutant?: Mutant): Promise<string> {
  const planted = mutant && plant(mutant);
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'cjs',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [
      {
        name: 'plant',
        setup: ({ onLoad }) => {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const name = basename(path);
            const source = folders.includes(dirname(path)) ? sources.get(name) : undefined;
            if (source === undefined) return undefined;
            return { contents: name === mutant?.file ? planted! : source, loader: 'ts' };
          });
        },
      },
    ],
  });
  return outputFiles[0]!.text;
}

/** What a page or an edge function pays for code: bundled and minified as its tools do, min + gzip at level 9. */
import { relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { expect } from 'vitest';

/** What is loaded at once; what only a dynamic import brings is not. */
export interface Bundle {
  readonly bytes: number;
  /** The files that it holds something of, from `folder`. */
  readonly inputs: readonly string[];
}

/** Bundles the sources that `contents` imports, as a file in `folder` would. */
export async function bundle(contents: string, folder: string, options?: BuildOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
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
    ...options,
  });
  const { outputs } = metafile!;
  const loaded = new Set(['out/stdin.js']);
  // A set is walked in order of insertion, what is added on the way included.
  for (const file of loaded) {
    for (const { path, kind, external } of outputs[file]!.imports)
      if (kind === 'import-statement' && !external) loaded.add(path);
  }
  const files = outputFiles!.filter(({ path }) => loaded.has(relative(folder, path)));
  const inputs = [...loaded].flatMap((file) => Object.entries(outputs[file]!.inputs));
  return {
    bytes: files.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0),
    inputs: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file),
  };
}

/** What something may weigh, in bytes. */
export interface Limits {
  /** What we want to announce. */
  readonly goal: number;
  /** What holds today: it may only go down, so that nobody gets worse unseen. A goal that is met becomes the ceiling. */
  readonly ceiling: number;
}

/** Prints a weight beside what is wanted, and holds it to its ceiling. */
export function expectWithin(name: string, bytes: number, { goal, ceiling }: Limits): void {
  const verdict = bytes <= goal ? 'reached' : `missed by ${bytes - goal}`;
  console.log(`${name}: ${bytes} bytes min+gz (ceiling ${ceiling}; goal ${goal} ${verdict})`);
  expect(bytes).toBeLessThanOrEqual(ceiling);
}

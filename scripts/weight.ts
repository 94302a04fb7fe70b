/** Measures the size of code for pages and edge functions: bundled into one file, minified, gzipped at level 9. */
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { expect } from 'vitest';

export interface Bundle {
  /** Size after gzip, including dynamic imports, which a bundler inlines into a single file. */
  readonly bytes: number;
  readonly text: string;
  /** Source files with code in the bundle, relative to `folder`. */
  readonly inputs: readonly string[];
}

/** Bundles `contents` as if it were a file in `folder`. */
export async function bundle(contents: string, folder: string, options?: BuildOptions): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    absWorkingDir: folder,
    bundle: true,
    minify: true,
    outfile: 'out.js',
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    conditions: ['@flagsvc/source'],
    ...options,
  });
  const [file] = outputFiles!;
  const inputs = Object.entries(metafile!.outputs['out.js']!.inputs);
  return {
    bytes: gzipSync(file!.contents, { level: 9 }).length,
    text: file!.text,
    inputs: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
  };
}

/** Prints the size and its limit, and fails when it exceeds the limit by more than 1 % (decisions/0016). */
export function expectWithin(name: string, bytes: number, gate: number): void {
  console.log(`${name}: ${bytes} bytes min+gz (gate ${gate})`);
  expect(bytes, `${name}, in bytes`).toBeLessThanOrEqual(gate * 1.01);
}

/** What a page or an edge function pays for code: one file, bundled and minified as its tools do, gzipped at level 9. */
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { expect } from 'vitest';

export interface Bundle {
  /** Its size after gzip. What a dynamic import would load later is inside: a tool that writes one file inlines it. */
  readonly bytes: number;
  readonly text: string;
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

/** Prints a size beside its gate, and fails when it is more than 1 % above it (decisions/0016). */
export function expectWithin(name: string, bytes: number, gate: number): void {
  console.log(`${name}: ${bytes} bytes min+gz (gate ${gate})`);
  expect(bytes, `${name}, in bytes`).toBeLessThanOrEqual(gate * 1.01);
}

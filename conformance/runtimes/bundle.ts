/** Bundles the built evaluator and the loop over the vectors into one script for all engines. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entry = fileURLToPath(new URL('./evaluate-all.ts', import.meta.url));
const built = fileURLToPath(new URL('../../sdk-core/dist/index.js', import.meta.url));

/** The same program in two formats. */
export interface Scripts {
  /** An ES module that exports `evaluateAll`. */
  readonly module: string;
  /** A classic script that defines the global `flagsvc.evaluateAll`. */
  readonly classic: string;
}

/** Bundles the built package, not its sources. Rejects when it is not built. */
export async function bundle(): Promise<Scripts> {
  if (!existsSync(built)) throw new Error('sdk-core is not built: run `npm run build` first');
  const write = async (format: 'esm' | 'iife'): Promise<string> => {
    const options = { bundle: true, write: false, target: 'es2022', globalName: 'flagsvc' } as const;
    const { outputFiles } = await build({ ...options, entryPoints: [entry], format, charset: 'ascii' });
    return outputFiles[0]!.text;
  };
  return { module: await write('esm'), classic: await write('iife') };
}

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the built package as a module or a classic script; rejects if it has not been built. */
export const bundle = async (entry: string, format: 'esm' | 'iife' = 'esm'): Promise<string> => {
  if (!existsSync(pathOf('../../dist/index.js'))) throw new Error('not built: run `npm run build` first');
  const { outputFiles } = await build({
    entryPoints: [pathOf(entry)],
    bundle: true,
    write: false,
    target: 'es2022',
    charset: 'ascii',
    logLevel: 'error',
    format,
    ...(format === 'iife' && { globalName: 'flagsvc' }),
  });
  return outputFiles[0]!.text;
};

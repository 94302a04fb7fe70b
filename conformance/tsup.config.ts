import { cpSync } from 'node:fs';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', cli: 'src/commands/cli.ts' },
  format: ['esm', 'cjs'],
  target: 'es2024',
  platform: 'node',
  // `node:sea` has no name without the prefix.
  removeNodeProtocol: false,
  dts: { entry: ['src/index.ts'] },
  sourcemap: true,
  splitting: true,
  clean: true,
  // The kit finds the suite from the path of its own file; shims make this path available in both formats.
  shims: true,
  // The `example` command copies from here.
  onSuccess: async () =>
    cpSync('../examples/python-evaluator', 'dist/examples/python-evaluator', {
      recursive: true,
      filter: (path) => !/\.test\.ts$|__pycache__/.test(path),
    }),
});

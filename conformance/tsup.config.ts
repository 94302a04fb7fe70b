import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', cli: 'src/commands/cli.ts' },
  format: ['esm', 'cjs'],
  target: 'es2024',
  platform: 'node',
  dts: { entry: ['src/index.ts'] },
  sourcemap: true,
  splitting: true,
  clean: true,
  // The suite is found from where a file stands, in both formats.
  shims: true,
});

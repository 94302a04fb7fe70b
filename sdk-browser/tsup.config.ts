import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/openfeature.ts', 'src/streaming.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'browser',
  sourcemap: true,
  splitting: true,
  clean: true,
});

import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    'atomic-file': 'src/atomic-file.ts',
    edge: 'src/edge.ts',
    eslint: 'src/eslint.ts',
    openfeature: 'src/openfeature.ts',
    streaming: 'src/streaming.ts',
    vite: 'src/vite.ts',
    // A command, not an entry point.
    typegen: 'src/typegen/main.ts',
  },
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'node',
  sourcemap: true,
  splitting: true,
  clean: true,
});

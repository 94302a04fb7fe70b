import { defineConfig } from 'tsup';

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/client.ts',
    'src/stream.ts',
    'src/testing.ts',
    'src/openfeature.ts',
    'src/rule-index.ts',
    'src/msgpack.ts',
    'src/unit-shares.ts',
  ],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  splitting: true,
  clean: true,
});

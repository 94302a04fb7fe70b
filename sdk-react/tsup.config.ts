import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/server.ts', 'src/testing.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  // The entry point for tests shares its React context with the one for components.
  external: ['@flagsvc/sdk-react'],
  sourcemap: true,
  splitting: false,
  clean: true,
});

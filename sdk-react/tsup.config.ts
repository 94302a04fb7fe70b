import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/server.ts', 'src/testing.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  // The testing door shares its context with the door for components.
  external: ['@flagsvc/sdk-react'],
  sourcemap: true,
  splitting: false,
  clean: true,
});

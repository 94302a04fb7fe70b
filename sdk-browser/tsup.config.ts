import { defineConfig } from 'tsup';

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/devtools.ts',
    'src/openfeature.ts',
    'src/playwright.ts',
    'src/react-native.ts',
    'src/streaming.ts',
  ],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'browser',
  // The bundler of the page decides (src/client/log-line.ts).
  define: { 'process.env.NODE_ENV': 'process.env.NODE_ENV' },
  sourcemap: true,
  splitting: true,
  clean: true,
});

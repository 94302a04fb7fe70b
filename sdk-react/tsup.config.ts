import { defineConfig } from 'tsup';

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/flag.ts',
    'src/next.ts',
    'src/server.ts',
    'src/storybook.ts',
    'src/testing.ts',
  ],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  // All entry points share the React context of the one for components.
  external: [/^@flagsvc\/sdk-react/],
  sourcemap: true,
  splitting: false,
  clean: true,
});

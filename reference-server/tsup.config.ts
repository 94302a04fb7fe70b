import { defineConfig } from 'tsup';

const shared = { target: 'node22', platform: 'node', sourcemap: true } as const;

export default defineConfig([
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      'data-plane': 'src/data-plane.ts',
      compile: 'src/compile.ts',
      contract: 'src/contract.ts',
      plugin: 'src/plugin.ts',
    },
    format: ['esm', 'cjs'],
    dts: true,
    clean: true,
  },
  // The processes await at their top level, which only a module can.
  { ...shared, entry: { main: 'src/main.ts', 'cli/main': 'src/cli/main.ts' }, format: ['esm'] },
]);

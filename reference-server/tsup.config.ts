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
  { ...shared, entry: { 'cli/main': 'src/cli/main.ts' }, format: ['esm'] },
  // The server comes with what it is made of: to find and read hundreds of files would be half of a start.
  {
    ...shared,
    entry: { main: 'src/main.ts' },
    format: ['esm'],
    noExternal: [/^(?!node:|better-sqlite3|@node-rs\/argon2|@scalar\/|pino$)/],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  },
]);

import { defineConfig } from 'tsup';

/** Packages that stay outside the server's bundle, because they have binaries or assets, or start threads. */
export const UNBUNDLED = ['better-sqlite3', 'pg', '@node-rs/argon2', '@scalar/*', 'pino', '@opentelemetry/*'];

/** Defines `require`, by which bundled CommonJS packages load Node's built-in modules. */
export const BANNER =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

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
  // Both programs use top-level `await`, which only ES modules support.
  { ...shared, entry: { 'cli/main': 'src/cli/main.ts' }, format: ['esm'] },
  // Bundles the dependencies too: to find and read hundreds of files would take half of the start time.
  {
    ...shared,
    entry: { 'process/main': 'src/process/main.ts', 'sqlite-worker': 'src/storage/sqlite-worker.ts' },
    format: ['esm'],
    noExternal: [new RegExp(`^(?!node:|(${UNBUNDLED.join('|').replaceAll('/*', '')})(/|$))`)],
    banner: { js: BANNER },
  },
]);

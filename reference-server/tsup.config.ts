import { defineConfig } from 'tsup';

/** What stays beside the server's one file: what has binaries or assets of its own, and what starts threads. */
export const UNBUNDLED = ['better-sqlite3', 'pg', '@node-rs/argon2', '@scalar/*', 'pino'];

/** CommonJS that came into a module asks for Node's own modules by `require`. */
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
  // The processes await at their top level, which only a module can.
  { ...shared, entry: { 'cli/main': 'src/cli/main.ts' }, format: ['esm'] },
  // The server comes with what it is made of: to find and read hundreds of files would be half of a start.
  {
    ...shared,
    entry: { 'process/main': 'src/process/main.ts' },
    format: ['esm'],
    noExternal: [new RegExp(`^(?!node:|(${UNBUNDLED.join('|').replaceAll('/*', '')})(/|$))`)],
    banner: { js: BANNER },
  },
]);

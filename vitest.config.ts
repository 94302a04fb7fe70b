import { join } from 'node:path';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { SlowFirst } from './scripts/slow-first.ts';

// Tests run on the sources: the private condition points every workspace package at its src/.
const conditions = ['@flagsvc/source', 'node', 'module', 'import', 'default'];

/** Folders that contain no tests of ours. */
export const NEVER = ['**/node_modules/**', '**/dist/**'];
/** Tests that need PostgreSQL. */
export const POSTGRES_ONLY = 'reference-server/test/postgres/**/*.test.ts';
/** Tests that need SQLite. */
const SQLITE_ONLY = [
  'reference-server/src/storage/{database,migrations}.test.ts',
  'reference-server/test/{bodies,crash,faults,operator}/**',
  // SQLite alone has a write-ahead log of its own, which the dashboard shows.
  'reference-server/test/telemetry/dashboard.test.ts',
];
/** The server tests that every run repeats on PostgreSQL; `npm run test:postgres` repeats all of them. */
const POSTGRES_TOO = [
  'reference-server/src/control-plane/features/{audit,revisions,search}/*.test.ts',
  'reference-server/src/control-plane/features/auth/{auth,sessions/sessions}.test.ts',
  'reference-server/src/control-plane/features/events/event-sink.test.ts',
  'reference-server/src/control-plane/features/flags/{bulk/bulk,flag-list,flag-search,flags}.test.ts',
  'reference-server/src/control-plane/features/freeze-windows/freeze.test.ts',
  'reference-server/src/control-plane/features/imports/{exports,import-refusals,imports}.test.ts',
  'reference-server/src/publishing/ruleset-source.test.ts',
  'reference-server/src/storage/event-keys.test.ts',
  'reference-server/src/control-plane/background/lease.test.ts',
  'reference-server/test/{odd-texts,searches,two-processes}.test.ts',
  'reference-server/test/upgrades/*.test.ts',
];

const isAllOnPostgres = (mode: string): boolean =>
  mode === 'postgres' || process.env['FLAGSVC_TEST_DATABASE'] === 'postgres';

/** Options of every project. */
export const shared = {
  resolve: { conditions },
  // These conditions apply to Node itself too. If they included `import`, `require` would load ES modules.
  ssr: { resolve: { conditions: ['@flagsvc/source'], externalConditions: ['@flagsvc/source'] } },
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Background work may be late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // Tests start hundreds of processes from sources, which Node would strip of types and compile each time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
  },
} satisfies ViteUserConfig;

export default defineConfig(({ mode }) => ({
  ...shared,
  test: {
    ...shared.test,
    sequence: { sequencer: SlowFirst },
    projects: [
      'vitest.tests.config.ts',
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [
            ...(isAllOnPostgres(mode)
              ? ['reference-server/src/**/*.test.ts', 'reference-server/test/**/*.test.ts']
              : POSTGRES_TOO),
            POSTGRES_ONLY,
          ],
          exclude: [...NEVER, ...SQLITE_ONLY],
          env: { FLAGSVC_TEST_DATABASE: 'postgres' },
          globalSetup: ['reference-server/test/postgres-setup.ts'],
        },
      },
    ],
  },
}));

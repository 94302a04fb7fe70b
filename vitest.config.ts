import { defineConfig } from 'vitest/config';

// Tests run on the sources: the private condition points every workspace package at its src/.
const conditions = ['@flagsvc/source', 'node', 'module', 'import', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: [
      '*/src/**/*.test.{ts,tsx}',
      '*/test/**/*.test.{ts,tsx}',
      'examples/*/**/*.test.{ts,tsx}',
      'scripts/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What comes by itself may come late on a busy machine.
    expect: { poll: { timeout: 15_000 } },
  },
});

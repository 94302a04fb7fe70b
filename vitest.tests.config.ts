// The project `tests`, in two parts.
import { defineConfig } from 'vitest/config';
import { NEVER, POSTGRES_ONLY, shared } from './vitest.config.ts';

/** Long tests of the server, which gain nothing from a shared process. */
const APART = ['reference-server/test/{bodies,crash,fast-path,faults}/**/*.test.ts'];

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    name: 'tests',
    projects: [
      {
        // Files share a process, because loading the server takes a second and most of its test files take less.
        test: {
          name: 'server',
          isolate: false,
          include: ['reference-server/{src,test}/**/*.test.ts'],
          exclude: [...NEVER, POSTGRES_ONLY, ...APART],
          globalSetup: ['scripts/unpack-chromium.ts'],
        },
      },
      {
        // SDK tests replace globals, so each file has its own process.
        test: {
          name: 'other',
          include: [
            '{conformance,relay-proxy,sdk-*}/src/**/*.test.{ts,tsx}',
            'dashboard/src/**/*.test.ts',
            '{conformance,relay-proxy,sdk-*}/test/**/*.test.{ts,tsx}',
            'dashboard/test/sample/**/*.test.ts',
            'examples/*/**/*.test.{ts,tsx}',
            'scripts/**/*.test.ts',
            ...APART,
          ],
          exclude: [...NEVER, POSTGRES_ONLY],
          globalSetup: ['scripts/unpack-chromium.ts'],
        },
      },
      {
        // Parts of the dashboard, in jsdom.
        test: {
          name: 'parts',
          environment: 'jsdom',
          include: ['dashboard/src/**/*.test.tsx'],
          setupFiles: ['dashboard/test/parts/set-up.ts'],
        },
      },
    ],
  },
});

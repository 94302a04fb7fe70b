// Tests of the dashboard's pages in a real browser, against the real server: `npm run test:dashboard`.
import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    name: 'dashboard',
    include: ['dashboard/test/**/*.test.ts'],
    // Whole paths through several pages, in a browser that shares the processor with the server.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['scripts/unpack-chromium.ts', 'dashboard/test/harness/global-setup.ts'],
  },
});

// Tests of the dashboard's pages in a real browser, against the real server: `npm run test:dashboard`.
import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    name: 'dashboard',
    include: ['dashboard/test/**/*.test.ts'],
    globalSetup: ['dashboard/test/harness/global-setup.ts'],
  },
});

/** Options of the runs that `playwright.test.ts` starts. */
export default {
  testDir: '.',
  outputDir: process.env.FLAGSVC_TEST_OUTPUT,
  reporter: 'json',
  workers: 1,
  use: {
    baseURL: process.env.FLAGSVC_TEST_ORIGIN,
    launchOptions: {
      executablePath: process.env.FLAGSVC_TEST_CHROMIUM,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    },
  },
};

/** The fixture in Playwright's own runner, with the built package. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packed from '@sparticuz/chromium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from './bundle.ts';
import { servePages } from './pages.ts';

interface Suite {
  readonly suites?: readonly Suite[];
  readonly specs?: readonly {
    readonly title: string;
    readonly tests: readonly {
      readonly results: readonly { status: string; error?: { message: string } }[];
    }[];
  }[];
}

const lacksChromium = process.platform !== 'linux';
const output = mkdtempSync(join(tmpdir(), 'flagsvc-playwright-'));
const outcomes = new Map<string, string>();

const collect = ({ suites = [], specs = [] }: Suite) => {
  for (const { title, tests } of specs) {
    const { status, error } = tests[0]!.results[0]!;
    outcomes.set(title, error?.message ?? status);
  }
  suites.forEach(collect);
};

beforeAll(async () => {
  if (lacksChromium) return;
  const pages = await servePages(await bundle('./page-sdk.ts'));
  pages.allow('http://127.0.0.1:9');
  const command = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const child = spawn(process.execPath, [command, 'test'], {
    cwd: join(import.meta.dirname, 'playwright'),
    env: {
      PATH: process.env['PATH'],
      HOME: output,
      FLAGSVC_TEST_OUTPUT: output,
      FLAGSVC_TEST_ORIGIN: pages.origin,
      FLAGSVC_TEST_CHROMIUM: await packed.executablePath(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of child.stdout) said += chunk;
  await pages.close();
  collect(JSON.parse(said));
}, 120_000);
afterAll(() => rmSync(output, { recursive: true, force: true }));

test.skipIf(lacksChromium).each([
  ['without the option, flags are as they are', 'passed'],
  ['the page and its server get the flags', 'passed'],
  ['a test replaces the flags while it runs', 'passed'],
  ['flags too long for a cookie', 'overrides of more than 4,095 characters do not fit into a cookie'],
  ['flags without baseURL', 'the option flags needs the option baseURL'],
])('in Playwright, %s: %s', (title, outcome) => {
  expect(outcomes.get(title)).toContain(outcome);
});

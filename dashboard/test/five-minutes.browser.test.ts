import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { contextOptions, expectNoViolations, openBrowser } from './harness/browser.ts';
import { createKeyboard } from './harness/keyboard.ts';
import { startServer } from './harness/start-server.ts';

const root = join(import.meta.dirname, '..', '..');
/** An SDK reports what it served every ten seconds. */
const PATIENCE_MS = 90_000;
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** How a person works the page: with a mouse, or with the keyboard alone. */
interface Hand {
  press(target: Locator): Promise<void>;
  type(field: Locator, text: string): Promise<void>;
}

const mouse: Hand = {
  // The control itself is hidden below what is drawn for it.
  press: (target) =>
    target.locator('xpath=ancestor-or-self::*[self::label or self::button or self::a][1]').click(),
  type: (field, text) => field.fill(text),
};

/** Runs what the page offers to copy, as a program of its own. */
function runApp(
  code: string,
  apiKey: string,
): { readonly child: ChildProcess; readonly output: () => string } {
  const child = spawn(
    process.execPath,
    ['--conditions=@flagsvc/source', '--input-type=module', '--eval', code],
    {
      cwd: root,
      env: { PATH: process.env['PATH'], FLAGSVC_API_KEY: apiKey },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout!.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { child, output: () => text };
}

test.concurrent.each(['with a mouse', 'by keyboard alone'])(
  'a person gets from the first page to a flag that changes in a running app, %s',
  { timeout: 300_000 },
  async (way) => {
    const server = await startServer();
    const context = await browser.newContext(contextOptions());
    const page = await context.newPage();
    // The page asks every two seconds for what the app reported; each answer waits for a processor that all share.
    page.setDefaultTimeout(PATIENCE_MS);
    const hand = way === 'with a mouse' ? mouse : createKeyboard(page);
    let app: ReturnType<typeof runApp> | undefined;
    try {
      await page.goto(`${server.origin}/`);
      await hand.type(page.getByLabel('Your name'), 'Mara Lindqvist');
      await hand.type(page.getByLabel('E-mail'), 'mara@northwind.example');
      await hand.type(page.locator('[name=password]'), 'correct horse battery');
      await page.keyboard.press('Enter');

      await page.getByRole('heading', { name: 'Watch a flag change in your app' }).waitFor();
      await page.getByText('1 of 5 done').waitFor();
      await hand.type(page.getByLabel('Name', { exact: true }), 'One-page checkout');
      await page.getByText('In code: one-page-checkout').waitFor();
      await hand.press(page.getByRole('button', { name: 'Make the flag' }));
      await page.getByText('2 of 5 done').waitFor();
      await hand.press(page.getByRole('button', { name: 'Make a key for Development' }));
      const command = page.locator('code', { hasText: 'export FLAGSVC_API_KEY=' });
      const apiKey = (await command.innerText()).split('=')[1]!;
      await page.getByText('3 of 5 done').waitFor();
      if (hand === mouse) await expectNoViolations(page);

      app = runApp(await page.locator('pre').innerText(), apiKey);
      await page.getByText(/^We have seen your SDK: flagsvc-node/).waitFor();
      await vi.waitFor(() => app!.output().includes('false') || Promise.reject(new Error('no value')));
      await hand.press(page.getByRole('switch', { name: 'One-page checkout in Development' }));
      await vi.waitFor(
        () => app!.output().endsWith('true\n') || Promise.reject(new Error(`the app says ${app!.output()}`)),
        { timeout: PATIENCE_MS },
      );
      await page.getByText('It has arrived: your app serves the flag as on.').waitFor();
      await page.getByText('5 of 5 done').waitFor();
      await page.reload();
      await page.getByText('5 of 5 done').waitFor();
      if (hand === mouse) await expectNoViolations(page);
      await hand.press(page.getByRole('button', { name: 'Go to the start page' }));
      await page.getByRole('heading', { name: /^Good .*, Mara$/ }).waitFor();
      await page.getByText(/flagsvc-node \d/).waitFor();
    } finally {
      if (app !== undefined && app.child.exitCode === null) {
        const exit = once(app.child, 'exit');
        app.child.kill();
        await exit;
      }
      await context.close();
      await server.close();
    }
  },
);

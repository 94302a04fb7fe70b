/** Runs the app in Chromium against a real server. `FLAGSVC_SCREENSHOT=<folder>` keeps screenshots of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { DEMO_FLAGS, DEMO_SEGMENT } from '../../scripts/start/steps/demo-flags.ts';
import { type Api, startApi } from '../../sdk-browser/test/browser/api.ts';
import { launchChromium, until, watch } from '../../sdk-browser/test/browser/pages.ts';
import { runTypegen } from '../../sdk-node/src/typegen/typegen.ts';
import { serveApp } from './serve.mjs';

const lacksChromium = process.platform !== 'linux';
const skipped = lacksChromium ? ' (skipped: npm brings Chromium for Linux only)' : '';
const folder = mkdtempSync(join(tmpdir(), 'flagsvc-react-app-'));
let api: Api;
let app: Awaited<ReturnType<typeof serveApp>>;
let browser: Browser;

beforeAll(async () => {
  if (lacksChromium) return;
  // The server must know the page's origin before the page knows the server's address.
  const port = await freePort();
  [api, browser] = await Promise.all([startApi(`http://127.0.0.1:${port}`), launchChromium()]);
  const [project] = await api.call('GET', '/projects');
  await api.call('POST', `/projects/${project.id}/segments`, DEMO_SEGMENT);
  for (const { flag, targeting } of DEMO_FLAGS) {
    const key = flag['key'] as string;
    await api.createFlag(key, '', { client_side: false, ...flag });
    if (targeting) await api.change(key, targeting);
  }
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'error',
    resolve: { conditions: ['@flagsvc/source', 'module', 'browser', 'import', 'default'] },
    build: { outDir: join(folder, 'dist') },
  });
  const { access_token } = await api.call('POST', '/auth/login', {
    email: 'admin@example.com',
    password: 'correct horse',
  });
  app = await serveApp({
    apiKey: api.clientKey,
    baseUrl: api.baseUrl,
    accessToken: async () => access_token,
    port,
    folder: join(folder, 'dist'),
  });
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([api?.close(), app?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(lacksChromium)(`declares the same flags as the server${skipped}`, async () => {
  let errors = '';
  const code = await runTypegen(
    [api.baseUrl, '--out', join(import.meta.dirname, 'src', 'flags.d.ts'), '--check'],
    {
      env: { FLAGSVC_API_KEY: api.clientKey },
      print: () => {},
      printError: (text) => {
        errors += text;
      },
    },
  );
  expect(errors).toBe('');
  expect(code).toBe(0);
});

test.skipIf(lacksChromium)(
  `follows a toggle and a rollout in two pages without an error or a warning${skipped}`,
  async () => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 860 } });
    const { complaints } = watch(context, api.baseUrl);
    const [page, other] = [await context.newPage(), await browser.newPage()];
    await Promise.all([page.goto(app.address), other.goto(app.address)]);
    const picture = async (name: string) => {
      const pictures = process.env['FLAGSVC_SCREENSHOT'];
      if (pictures)
        await page.waitForTimeout(600).then(() => page.screenshot({ path: join(pictures, `${name}.png`) }));
    };
    const count = async () => Number(await page.locator('#on-count').textContent());
    await until(async () => (await page.locator('.status').textContent()) === 'ready');
    expect(await page.locator('h1').textContent()).toBe('Welkom');
    expect(await page.locator('main').getAttribute('class')).toBe('dark');
    const atFirst = await page.locator('.visitor.on').allTextContents();
    expect(atFirst.length).toBeGreaterThan(10);
    expect(atFirst.length).toBeLessThan(40);
    expect(await count()).toBe(atFirst.length);
    await picture('dark');

    await page.getByRole('switch').click();
    await until(async () => (await page.locator('main').getAttribute('class')) === 'light');
    await until(async () => (await other.locator('main').getAttribute('class')) === 'light');

    // Sets the value as a screen reader does, without a pointer or a key.
    await page.getByRole('slider').fill('60');
    await until(async () => (await count()) > 45);
    const afterwards = new Set(await page.locator('.visitor.on').allTextContents());
    expect(atFirst.filter((name) => !afterwards.has(name))).toEqual([]);
    await until(async () => Number(await other.locator('#on-count').textContent()) === (await count()));
    await picture('light');

    expect(complaints).toEqual([]);
    await page.close({ runBeforeUnload: true });
    await until(() => api.used('new-checkout') > 0);
    await other.close();
  },
  60_000,
);

test.skipIf(lacksChromium)(`refuses a flag change that comes from another origin${skipped}`, async () => {
  const reply = await fetch(`${app.address}/demo/toggle`, {
    method: 'POST',
    headers: { origin: 'http://elsewhere.test' },
    body: '{"flag_key":"dark-mode","enabled":true}',
  });
  expect(reply.status).toBe(403);
  const outside = await fetch(`${app.address}/..%2f..%2fpackage.json`);
  expect(outside.status).toBe(404);
});

/**
 * The recipes in Chromium, over a real client. `npm run test:examples` installs the frameworks; without them, only the
 * length of the recipes is checked.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../../sdk-browser/test/browser/pages.ts';

const FRAMEWORKS = ['vue', 'svelte', 'solid', 'angular'];
const lacksFrameworks =
  process.platform !== 'linux' ||
  !existsSync(join(import.meta.dirname, 'node_modules', '.package-lock.json'));

test.each(FRAMEWORKS)('the recipe for %s has at most 30 lines', (name) => {
  const lines = readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(30);
});

const svelte: Plugin = {
  name: 'svelte',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const { compile } = createRequire(join(import.meta.dirname, 'package.json'))('svelte/compiler');
      return { contents: compile(readFileSync(path, 'utf8'), { filename: path }).js.code, loader: 'js' };
    }),
};

let browser: Browser;
beforeAll(async () => {
  if (!lacksFrameworks) browser = await launchChromium();
});
afterAll(() => browser?.close());

test.skipIf(lacksFrameworks).each(FRAMEWORKS)(
  'in %s, a flag follows its changes, and each use is counted once',
  async (name) => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { mount } from './${name}-page.ts'; import { createPage } from './page-client.ts'; globalThis.shop = createPage(mount);`,
        resolveDir: join(import.meta.dirname, 'test'),
        loader: 'ts',
      },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      conditions: ['@flagsvc/source', 'browser'],
      define: { 'process.env.NODE_ENV': '"production"' },
      plugins: [svelte],
      logLevel: 'error',
    });
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => void complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto('about:blank');
    await page.addScriptTag({ content: outputFiles[0]!.text });
    type Shop = ReturnType<typeof import('./test/page-client.ts').createPage>;
    const shop = <T>(work: (shop: Shop) => T) =>
      page.evaluate(`(${work})(globalThis.shop)`) as Promise<Awaited<T>>;
    expect(await shop((it) => it.state())).toEqual({ text: '', uses: 0 });
    await shop((it) => it.mount());
    await expect.poll(() => shop((it) => it.state())).toEqual({ text: 'redS', uses: 2 });
    await shop((it) => it.publish({ colour: 'green', size: 'S' }));
    expect(await shop((it) => it.state())).toEqual({ text: 'greenS', uses: 3 });
    await shop((it) => it.publish({ colour: 'green', size: 'S' }));
    expect(await shop((it) => it.state())).toEqual({ text: 'greenS', uses: 3 });
    await shop((it) => it.unmount());
    await shop((it) => it.publish({ colour: 'blue', size: 'L' }));
    expect((await shop((it) => it.state())).uses).toBe(3);
    expect(complaints).toEqual([]);
    await page.close();
  },
);

/** Runs the shop in Chromium against a real server. `FLAGSVC_SCREENSHOT=<file>` saves a screenshot. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';
import { type Api, startApi } from '../../sdk-browser/test/browser/api.ts';
import { launchChromium, until, watch } from '../../sdk-browser/test/browser/pages.ts';
import { serveShop } from './serve.mjs';

const lacksChromium = process.platform !== 'linux';
let api: Api;
let shop: { readonly address: string; close(): Promise<void> };
let browser: Browser;

beforeAll(async () => {
  if (lacksChromium) return;
  // The server must know the page's origin before the page knows the server's address.
  const port = await freePort();
  [api, browser] = await Promise.all([startApi(`http://127.0.0.1:${port}`), launchChromium()]);
  await api.createFlag('headline', 'First flush is here');
  await api.createFlag('new-checkout', '', {
    flag_type: 'boolean',
    variations: [
      { key: 'on', name: 'On', value: true },
      { key: 'off', name: 'Off', value: false },
    ],
    default_variation: 'off',
  });
  await api.createFlag('delivery-days', '', {
    flag_type: 'number',
    variations: [{ key: 'first', name: 'Two', value: 2 }],
    default_variation: 'first',
  });
  await api.createFlag('promo', '', {
    flag_type: 'json',
    variations: [
      { key: 'none', name: 'None', value: { title: '', percent: 0 } },
      { key: 'club', name: 'Club', value: { title: 'Club week', percent: 15 } },
    ],
    default_variation: 'none',
  });
  const members = [{ attribute: 'plan', operator: 'is', value: 'club' }];
  await api.change('promo', {
    targeting_rules: [{ priority: 1, name: 'Members', conditions: members, variation: 'club' }],
  });
  shop = await serveShop({ apiKey: api.clientKey, baseUrl: api.baseUrl, port });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([api?.close(), shop?.close()]);
});

test.skipIf(lacksChromium)(
  `shows flags and follows a toggle and a change of visitor without an error or a warning${lacksChromium ? ' (skipped: npm brings Chromium for Linux only)' : ''}`,
  async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const { complaints } = watch(context, api.baseUrl);
    const page = await context.newPage();
    await page.goto(shop.address);
    const text = (id: string) => page.locator(`#${id}`).textContent();
    await until(async () => (await text('status')) === 'ready');
    expect(await text('headline')).toBe('First flush is here');
    expect(await text('delivery')).toBe('2');
    expect(await text('promo')).toBe('Club week: 15 % off');
    expect(await page.locator('body.new-checkout').count()).toBe(0);

    await api.serve('new-checkout', 'on');
    await until(async () => (await page.locator('body.new-checkout').count()) === 1);
    expect(await page.locator('#log li').first().textContent()).toContain('changed: new-checkout');

    await page.getByText('Bo, guest').click();
    await until(async () => !(await page.locator('#promo').isVisible()));
    await page.getByText('Ada, club member').click();
    await until(() => page.locator('#promo').isVisible());
    await page.getByText('Add to basket · €14.50').click();
    expect(await page.locator('#flags tr').count()).toBe(4);

    const picture = process.env['FLAGSVC_SCREENSHOT'];
    if (picture) await page.screenshot({ path: picture });
    expect(complaints).toEqual([]);
    await page.close({ runBeforeUnload: true });
    await until(() => api.used('headline') > 0);
  },
);

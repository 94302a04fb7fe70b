/** The panel in Chromium, with the built package, the real server on another origin, and a strict security policy. */
import type { BrowserClient } from '@flagsvc/sdk-browser';
import type { Devtools, DevtoolsOptions, Overridable } from '@flagsvc/sdk-browser/devtools';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Api, startApi } from './api.ts';
import { bundle } from './bundle.ts';
import { launchChromium, servePages, until, watch } from './pages.ts';

declare global {
  var shop: BrowserClient & Overridable;
  var tools: Devtools;
  var heard: string[];
}

const lacksChromium = process.platform !== 'linux';
let pages: Awaited<ReturnType<typeof servePages>>;
let api: Api;
let browser: Browser;
let context: BrowserContext;
let watched: ReturnType<typeof watch>;

interface OpenOptions extends DevtoolsOptions {
  readonly isLocal?: boolean;
  readonly path?: string;
}

/** Starts the client and the panel, as the script of a page does. */
const start = async (page: Page, { isLocal = false, path = '/page', ...options }: OpenOptions) => {
  await page.goto(`${pages.origin}${path}`);
  await page.waitForFunction(() => 'flagsvc' in globalThis);
  await page.evaluate(
    ([given, local, shown]) => {
      const { flagsvc } = globalThis;
      const mode = local ? flagsvc.localMode() : flagsvc.remoteMode();
      globalThis.shop = flagsvc.withOverrides(flagsvc.createBrowserClient({ ...given, mode }));
      globalThis.heard = [];
      globalThis.shop.on('change', (keys) => void globalThis.heard.push(...keys));
      globalThis.tools = flagsvc.mountDevtools(globalThis.shop, shown);
    },
    [
      { apiKey: api.clientKey, baseUrl: api.baseUrl, context: { user_key: 'u1' }, pollIntervalMs: 600 },
      isLocal,
      options,
    ] as const,
  );
  await page.evaluate(() => globalThis.shop.ready());
};
const open = async (options: OpenOptions = {}) => {
  const page = await context.newPage();
  await start(page, options);
  await page.keyboard.press('Alt+Shift+F');
  return { page, panel: page.getByRole('dialog', { name: 'Feature flags' }) };
};
const row = (panel: Locator, key: string) => panel.getByRole('listitem').filter({ hasText: key }).first();
const flag = (page: Page, key: string, defaultValue: unknown = '') =>
  page.evaluate(([name, usual]) => globalThis.shop.flag(name as string, usual), [key, defaultValue]);

beforeAll(async () => {
  if (lacksChromium) return;
  pages = await servePages(await bundle('./page-sdk.ts'));
  [api, browser] = await Promise.all([startApi(pages.origin), launchChromium()]);
  pages.allow(api.baseUrl);
  await api.createFlag('greeting', 'hello');
  await api.createFlag('new-checkout', '', {
    flag_type: 'boolean',
    variations: [
      { key: 'on', name: 'On', value: true },
      { key: 'off', name: 'Off', value: false },
    ],
    default_variation: 'off',
  });
  await api.createFlag('limits', '', {
    flag_type: 'json',
    variations: [{ key: 'usual', name: 'Usual', value: { per_day: 5 } }],
    default_variation: 'usual',
  });
  await api.serve('greeting', 'first');
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([api?.close(), pages?.close()]);
});
beforeEach(async () => {
  if (lacksChromium) return;
  context = await browser.newContext();
  watched = watch(context, api.baseUrl);
});
afterEach(async () => {
  await context?.close();
});

const inChromium = (name: string, body: () => Promise<void>) =>
  test.skipIf(lacksChromium)(
    name + (lacksChromium ? ' (skipped: npm brings Chromium for Linux only)' : ''),
    body,
  );

inChromium(
  'the panel shows value, reason and source of every flag, and the rule of a page that has it',
  async () => {
    const { panel } = await open();
    await expect
      .poll(() => row(panel, 'greeting').innerText())
      .toMatch(/server[\s\S]*"hello"[\s\S]*TARGETING_RULE · first · rule_/);
    expect(await row(panel, 'limits').innerText()).toMatch(
      /server[\s\S]*{"per_day":5}[\s\S]*DEFAULT · usual/,
    );
    const local = await open({ isLocal: true });
    const greeting = row(local.panel, 'greeting');
    await expect.poll(() => greeting.innerText()).toMatch(/ruleset[\s\S]*"hello"/);
    await greeting.getByText('Rule', { exact: true }).click();
    expect(await greeting.locator('details').innerText()).toContain('"priority":1');
    expect(watched.complaints).toEqual([]);
  },
);

inChromium('an override reaches the page, survives a reload with the open panel, and is reset', async () => {
  const { page, panel } = await open();
  await panel.getByLabel('Override new-checkout').selectOption('true');
  expect(await flag(page, 'new-checkout', false)).toBe(true);
  expect(await page.evaluate(() => globalThis.heard)).toEqual(expect.arrayContaining(['new-checkout']));
  await expect
    .poll(() => row(panel, 'new-checkout').innerText())
    .toMatch(/override[\s\S]*true[\s\S]*instead of false/);
  await start(page, {});
  await panel.waitFor();
  expect(await flag(page, 'new-checkout', false)).toBe(true);
  await panel.getByRole('button', { name: 'Reset new-checkout' }).click();
  expect(await flag(page, 'new-checkout', false)).toBe(false);
  await start(page, {});
  expect(await flag(page, 'new-checkout', false)).toBe(false);
  expect(watched.complaints).toEqual([]);
});

inChromium(
  'texts and JSON are typed in, a wrong text stays to be mended, and an empty one resets',
  async () => {
    const { page, panel } = await open();
    const limits = panel.getByLabel('Override limits');
    await limits.fill('{"per_day":');
    await limits.blur();
    expect(await limits.getAttribute('aria-invalid')).toBe('true');
    await api.serve('greeting', 'second');
    await until(async () => (await flag(page, 'greeting')) === 'hello 2');
    expect(await limits.inputValue()).toBe('{"per_day":');
    await limits.fill('{"per_day":9}');
    await limits.blur();
    expect(await flag(page, 'limits', {})).toEqual({ per_day: 9 });
    const greeting = panel.getByLabel('Override greeting');
    await greeting.fill('<b>hi</b>');
    await greeting.press('Enter');
    expect(await flag(page, 'greeting')).toBe('<b>hi</b>');
    await greeting.fill('');
    await greeting.press('Tab');
    expect(await flag(page, 'greeting')).toBe('hello 2');
    await api.serve('greeting', 'first');
    expect(watched.complaints).toEqual([]);
  },
);

inChromium('an override of another type says why the page does not get it', async () => {
  const { page, panel } = await open();
  await page.evaluate(() => globalThis.shop.overrides.set('limits', 'many'));
  expect(await flag(page, 'limits', { per_day: 1 })).toEqual({ per_day: 1 });
  await expect
    .poll(() => row(panel, 'limits').innerText())
    .toMatch(/default value[\s\S]*{"per_day":1}[\s\S]*"many" has another type/);
  expect(await panel.getByLabel('Override limits').inputValue()).toBe('"many"');
  await panel.getByRole('button', { name: 'Reset limits' }).click();
  await expect.poll(() => row(panel, 'limits').innerText()).toMatch(/server[\s\S]*{"per_day":5}/);
});

inChromium('a flag that the server does not know is overridden, and a read of one is listed', async () => {
  const { page, panel } = await open();
  await flag(page, 'planned', 'default');
  await expect.poll(() => row(panel, 'planned').innerText()).toContain('the server has no such flag');
  await panel.getByLabel('Flag key').fill('tomorrow');
  await panel.getByLabel('Value', { exact: true }).fill('some text');
  await panel.getByRole('button', { name: 'Override', exact: true }).click();
  expect(await flag(page, 'tomorrow')).toBe('some text');
  await panel.getByRole('searchbox').fill('tomo');
  await expect.poll(() => panel.getByRole('listitem').count()).toBe(1);
  await panel.getByRole('button', { name: 'Reset all (1)' }).click();
  expect(await flag(page, 'tomorrow')).toBe('');
});

inChromium('a link carries the overrides into a new browser', async () => {
  const { page, panel } = await open();
  await panel.getByLabel('Override new-checkout').selectOption('true');
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: pages.origin });
  await panel.getByRole('button', { name: 'Copy link' }).click();
  await panel.getByText('Copied').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await (await browser.newContext()).newPage();
  await start(other, { path: link.slice(pages.origin.length) });
  expect(await flag(other, 'new-checkout', false)).toBe(true);
  await other.context().close();
});

inChromium('the context editor changes the user, and refuses what is no context', async () => {
  const { page, panel } = await open();
  await panel.getByRole('tab', { name: 'Context' }).click();
  const field = panel.getByLabel('Context', { exact: true }).and(page.locator('textarea'));
  await field.fill('{ "user_key": 5 }');
  await panel.getByRole('button', { name: 'Apply' }).click();
  await panel.getByText('option context must be like').waitFor();
  expect(await field.inputValue()).toBe('{ "user_key": 5 }');
  await field.fill('{ "user_key": "u2", "attributes": { "plan": "pro" } }');
  await panel.getByRole('button', { name: 'Apply' }).click();
  await panel.getByText('The flags are those of this user.').waitFor();
  expect(await page.evaluate(() => globalThis.shop.context())).toEqual({
    user_key: 'u2',
    attributes: { plan: 'pro' },
  });
  await panel.getByRole('button', { name: "Back to the page's user" }).click();
  await until(async () => (await page.evaluate(() => globalThis.shop.context().user_key)) === 'u1');
});

inChromium('the log shows reads, changes and events as they happen', async () => {
  const { page, panel } = await open();
  await panel.getByRole('tab', { name: 'Activity' }).click();
  await flag(page, 'greeting');
  await page.evaluate(() => globalThis.shop.track('purchase', { value: 5 }));
  const log = panel.getByRole('list');
  await expect
    .poll(() => log.innerText())
    .toMatch(/track\s*purchase {"value":5}[\s\S]*read\s*greeting is "hello"/);
  await api.serve('greeting', 'second');
  await expect.poll(() => log.innerText()).toMatch(/change\s*greeting/);
  await api.serve('greeting', 'first');
});

inChromium(
  'nothing but the client itself sends requests, and an override is not counted as use',
  async () => {
    const used = api.used('limits');
    const { page, panel } = await open();
    await panel.getByLabel('Override limits').fill('{"per_day":1}');
    await panel.getByLabel('Override limits').blur();
    expect(await flag(page, 'limits', {})).toEqual({ per_day: 1 });
    await page.evaluate(() => globalThis.shop.flush());
    expect(watched.sent.filter(({ path }) => path !== '/evaluate' && path !== '/sdk/events')).toEqual([]);
    await page.evaluate(() => globalThis.shop.close());
    expect(api.used('limits')).toBe(used);
  },
);

inChromium('the panel opens and closes from the keyboard, and gives the focus back', async () => {
  const page = await context.newPage();
  await start(page, { shortcut: 'Ctrl+Alt+7' });
  const panel = page.getByRole('dialog');
  await page.evaluate(() =>
    document.body.append(Object.assign(document.createElement('input'), { id: 'own' })),
  );
  await page.locator('#own').focus();
  await page.keyboard.press('Alt+Shift+F');
  expect(await panel.isVisible()).toBe(false);
  await page.keyboard.press('Control+Alt+7');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.ariaLabel))
    .toBe('Search flags');
  await page.keyboard.press('Escape');
  expect(await panel.isVisible()).toBe(false);
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('own');
  await page.getByRole('button', { name: 'Feature flags' }).click();
  await panel.getByRole('tab', { name: 'Flags' }).focus();
  await page.keyboard.press('ArrowLeft');
  expect(await panel.getByRole('tab', { name: 'Activity' }).getAttribute('aria-selected')).toBe('true');
  await page.evaluate(() => globalThis.tools.unmount());
  expect(await page.locator('flagsvc-devtools').count()).toBe(0);
  await page.keyboard.press('Control+Alt+7');
  expect(await panel.count()).toBe(0);
  expect(watched.complaints).toEqual([]);
});

inChromium("the page's styles do not reach the panel", async () => {
  const { page, panel } = await open();
  const sizeOf = () =>
    panel.getByRole('button', { name: 'Close' }).evaluate((node) => getComputedStyle(node).fontSize);
  const before = await sizeOf();
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { font-size: 40px !important; color: red } html { letter-spacing: 9px }');
    document.adoptedStyleSheets = [sheet];
  });
  expect(await sizeOf()).toBe(before);
});

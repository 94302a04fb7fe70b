/** The built package in Chromium, with the real server on another origin, under a strict security policy. */
import type { BrowserClient } from '@flagsvc/sdk-browser';
import type { ClientOptions } from '@flagsvc/sdk-core/client';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { measureSlowdown } from '../../../conformance/src/suite/slowdown.ts';
import { type Api, startApi } from './api.ts';
import { bundle } from './bundle.ts';
import { expectedAnswers } from './expected-answers.ts';
import { launchChromium, servePages, until, watch } from './pages.ts';

declare global {
  var flagsvc: typeof import('./page-sdk.ts');
  var client: BrowserClient;
  var changes: string[];
}

const POLL_MS = 600;
const lacksChromium = process.platform !== 'linux';
let pages: Awaited<ReturnType<typeof servePages>>;
let api: Api;
let browser: Browser;
let context: BrowserContext;
let watched: ReturnType<typeof watch>;

/** A page with a client; `local` evaluates in the page. */
const open = async (local: boolean, more: Partial<ClientOptions> = {}, page?: Page) => {
  const opened = page ?? (await context.newPage());
  await opened.goto(`${pages.origin}/page`);
  await opened.waitForFunction(() => 'flagsvc' in globalThis);
  const options = {
    apiKey: api.clientKey,
    baseUrl: api.baseUrl,
    context: { user_key: 'u1' },
    pollIntervalMs: POLL_MS,
    ...more,
  };
  await opened.evaluate(
    ([given, isLocal]) => {
      const { flagsvc } = globalThis;
      globalThis.changes = [];
      globalThis.client = flagsvc.createBrowserClient({
        ...given,
        mode: isLocal ? flagsvc.localMode() : flagsvc.remoteMode(),
      });
      globalThis.client.on('change', (keys) => void globalThis.changes.push(...keys));
    },
    [options, local] as const,
  );
  return opened;
};
const flag = (page: Page, key: string) => page.evaluate((name) => globalThis.client.flag(name, ''), key);
const status = (page: Page) => page.evaluate(() => globalThis.client.status());
const isReady = (page: Page) => until(async () => (await status(page)) === 'ready');
/** Simulates that the page becomes hidden or visible, because a headless browser never hides a page. */
const turn = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((visibility) => {
    Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  if (lacksChromium) return;
  pages = await servePages(await bundle('./page-sdk.ts'));
  [api, browser] = await Promise.all([startApi(pages.origin), launchChromium()]);
  pages.allow(api.baseUrl);
  await api.createFlag('greeting', 'hello');
  await api.createFlag('secret', 'for the server', { client_side: false });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([api?.close(), pages?.close()]);
});
beforeEach(async () => {
  if (lacksChromium) return;
  await api.serve('greeting', 'first');
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

inChromium('gives the same answer as Node to every call in the vectors that a page can make', async () => {
  const { questions, lines: expected } = expectedAnswers();
  const page = await context.newPage();
  await page.goto(`${pages.origin}/page`);
  await page.waitForFunction(() => 'flagsvc' in globalThis);
  const answers = await page.evaluate((text) => globalThis.flagsvc.answersTo(text), questions);
  expect(expected.length).toBeGreaterThan(2000);
  const lines = answers.trimEnd().split('\n');
  expect(lines.filter((line, at) => line !== expected[at])).toEqual([]);
  expect(lines).toHaveLength(expected.length);
  expect(watched.complaints).toEqual([]);
});

inChromium('polls with the tag, and shows a change', async () => {
  const page = await open(true);
  await isReady(page);
  expect(await flag(page, 'greeting')).toBe('hello');
  expect(await flag(page, 'secret')).toBe('');
  await until(() => watched.paths('/sdk/ruleset').length > 3);
  await api.serve('greeting', 'second');
  const changedAt = performance.now();
  await until(async () => (await flag(page, 'greeting')) === 'hello 2');
  expect(performance.now() - changedAt).toBeLessThan((2 * POLL_MS + 500) * measureSlowdown());
  expect(await page.evaluate(() => globalThis.changes)).toContain('greeting');
  const statuses = watched.paths('/sdk/ruleset').map((one) => one.status);
  expect(statuses.slice(0, 3)).toEqual([200, 304, 304]);
  expect(watched.complaints).toEqual([]);
});

inChromium('evaluates remotely, for the next user as well, and downloads no rules', async () => {
  const page = await open(false);
  await isReady(page);
  expect(await flag(page, 'greeting')).toBe('hello');
  await page.evaluate(() => globalThis.client.setContext({ user_key: 'u2' }));
  expect(await page.evaluate(() => globalThis.client.flagDetails('greeting', ''))).toMatchObject({
    value: 'hello',
  });
  expect(watched.paths('/sdk/ruleset')).toEqual([]);
  expect(watched.paths('/evaluate').length).toBeGreaterThan(1);
  expect(watched.complaints).toEqual([]);
});

inChromium(
  'one of two tabs polls, and the other tab takes over within a second after the first is closed',
  async () => {
    const first = await open(true);
    await isReady(first);
    const second = await open(true);
    await isReady(second);
    const of = (page: Page) => watched.paths('/sdk/ruleset').filter((one) => one.page === page).length;
    await until(() => of(first) > 4);
    expect(of(second)).toBe(0);
    await first.close();
    const closedAt = performance.now();
    await until(() => of(second) > 0);
    expect(performance.now() - closedAt).toBeLessThan((1000 + POLL_MS / 2) * measureSlowdown());
    await until(() => of(second) > 2);
    expect(watched.complaints).toEqual([]);
  },
);

inChromium('keeps serving while it is offline, and catches up by itself', async () => {
  const page = await open(true, { retryBaseMs: 100 });
  await isReady(page);
  await context.setOffline(true);
  await until(async () => (await status(page)) === 'stale');
  expect(await flag(page, 'greeting')).toBe('hello');
  await api.serve('greeting', 'second');
  await context.setOffline(false);
  await until(async () => (await flag(page, 'greeting')) === 'hello 2');
  expect(await status(page)).toBe('ready');
  // The browser logs each failed request; the SDK logs the fault once.
  expect(watched.complaints.filter((line) => line.startsWith('flagsvc:'))).toEqual([
    "flagsvc: the server cannot be reached; check baseUrl and the network, this page's origin in FLAGSVC_CORS_ORIGINS, and connect-src; the last good ruleset stays [NETWORK]",
  ]);
});

inChromium('is silent while it is hidden, and fetches once when it is back', async () => {
  const page = await open(true);
  await isReady(page);
  await flag(page, 'greeting');
  await turn(page, 'hidden');
  await until(() => watched.paths('/sdk/events').some((one) => one.status === 202));
  const before = watched.sent.length;
  await wait(3 * POLL_MS);
  expect(watched.sent).toHaveLength(before);
  await turn(page, 'visible');
  await until(() => watched.sent.length === before + 1);
  await wait(POLL_MS / 3);
  expect(watched.sent).toHaveLength(before + 1);
  expect(watched.complaints).toEqual([]);
});

inChromium('loses no event when the page is left, or reloaded, or closed', async () => {
  const page = await open(true, { flushIntervalMs: 60_000 });
  await isReady(page);
  const before = api.used('greeting');
  const use = (on: Page, times: number) =>
    on.evaluate((count) => {
      for (let i = 0; i < count; i++) globalThis.client.flag('greeting', '');
    }, times);
  await use(page, 100);
  await page.goto(`${pages.origin}/elsewhere`);
  await open(true, { flushIntervalMs: 60_000 }, page);
  await isReady(page);
  await use(page, 20);
  await page.reload();
  await open(true, { flushIntervalMs: 60_000 }, page);
  await isReady(page);
  await use(page, 3);
  await page.close({ runBeforeUnload: true });
  await until(async () => api.used('greeting') === before + 123);
  expect(watched.complaints).toEqual([]);
});

inChromium('the first read of the next visit works from the cache, before any request', async () => {
  const page = await open(true);
  await isReady(page);
  const again = await open(true, { pollIntervalMs: 60_000 }, page);
  // Read synchronously after creating the client.
  const first = await again.evaluate(
    ([apiKey, baseUrl]) => {
      const { createBrowserClient, localMode } = globalThis.flagsvc;
      const client = createBrowserClient({ apiKey, baseUrl, mode: localMode(), context: { user_key: 'u1' } });
      return [client.flag('greeting', ''), client.status()];
    },
    [api.clientKey, api.baseUrl] as const,
  );
  expect(first).toEqual(['hello', 'cached']);
});

inChromium('warns once about a server key', async () => {
  const page = await open(true, { apiKey: api.serverKey });
  await isReady(page);
  await wait(2 * POLL_MS);
  expect(await flag(page, 'secret')).toBe('for the server');
  expect(watched.complaints).toEqual([
    'flagsvc: this page uses a key that can read every flag; create a key of kind client [SERVER_KEY: use a client key]',
  ]);
});

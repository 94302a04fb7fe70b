/** A page that streams behind a relay, in Chromium and under a strict security policy. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../../../sdk-browser/test/browser/bundle.ts';
import { launchChromium, servePages, watch } from '../../../sdk-browser/test/browser/pages.ts';
import { type RelayProcess, startRelay } from '../relay-process.ts';
import { startUpstream, type UpstreamServer } from '../upstream-server.ts';

const lacksChromium = process.platform !== 'linux';
const PATIENCE = { timeout: 40_000, interval: 50 };
/** Longer than the test, so that only the stream brings changes. */
const POLL_MS = 300_000;

// Each test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** What page-sdk.mjs exports. */
interface PageSdk {
  start(isLocal: boolean, options: object): void;
  status(): string;
  /** Evaluates the flag: the client's status, the reason and the value. */
  read(): readonly [string, string, unknown];
  close(): Promise<void>;
}
type PageGlobals = typeof globalThis & { flagsvc: PageSdk };

let upstream: UpstreamServer;
let relay: RelayProcess;
let pages: Awaited<ReturnType<typeof servePages>>;
let browser: Browser;
let flagId: string;
let keys: Readonly<Record<'server' | 'client' | 'relay', string>>;
beforeAll(async () => {
  if (lacksChromium) return;
  pages = await servePages(await bundle(new URL('./page-sdk.mjs', import.meta.url).href));
  [upstream, browser] = await Promise.all([startUpstream(2), launchChromium()]);
  keys = await upstream.createKeys();
  flagId = (await upstream.admin.flags.getByKey('flag-0')).id;
  await upstream.admin.flags.update(flagId, { client_side: true });
  relay = await startRelay({
    FLAGSVC_RELAY_UPSTREAM_URL: upstream.url,
    FLAGSVC_RELAY_KEYS: keys.relay,
    FLAGSVC_CORS_ORIGINS: pages.origin,
  });
  await relay.ready();
  pages.allow(relay.url());
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([relay?.close(), pages?.close()]);
  await upstream?.close();
});

/** A page with a client that streams. Resolves when the client has had an answer of the relay. */
const open = async (page: Page, isLocal: boolean): Promise<void> => {
  await page.goto(`${pages.origin}/page`);
  await page.waitForFunction(() => 'flagsvc' in globalThis);
  const options = {
    apiKey: keys.client,
    baseUrl: `${relay.url()}/api/v1`,
    context: { user_key: 'u' },
    pollIntervalMs: POLL_MS,
    flushIntervalMs: 1_000,
  };
  await page.evaluate(([local, given]) => (globalThis as PageGlobals).flagsvc.start(local, given), [
    isLocal,
    options,
  ] as const);
  const status = () => page.evaluate(() => (globalThis as PageGlobals).flagsvc.status());
  await expect.poll(status, PATIENCE).toBe('ready');
};
const read = (page: Page) => page.evaluate(() => (globalThis as PageGlobals).flagsvc.read());
const close = (page: Page) => page.evaluate(() => (globalThis as PageGlobals).flagsvc.close());

test.skipIf(lacksChromium).each([
  ['evaluates itself', true],
  ['has its flags evaluated', false],
])(
  'a page that %s gets changes by the stream of a relay, notices no outage, and its evaluations count once',
  async (_, isLocal) => {
    const context = await browser.newContext();
    const { sent, complaints } = watch(context, `${relay.url()}/api/v1`);
    const page = await context.newPage();
    await open(page, isLocal);
    let evaluations = 0;
    const state = async () => {
      evaluations += 1;
      return read(page);
    };
    const counted = async () => (await upstream.admin.flags.metrics(flagId)).total;
    const before = await counted();
    const off = ['ready', 'DISABLED', false];
    const on = ['ready', 'DEFAULT', false];
    await expect.poll(state, PATIENCE).toEqual(off);
    const polls = () => sent.filter(({ path }) => !/stream|events/.test(path)).length;
    await expect
      .poll(() => sent.some(({ path, status }) => /stream/.test(path) && status === 200), PATIENCE)
      .toBe(true);
    const pollsBefore = polls();
    await upstream.admin.flags.toggle(flagId, true);
    await expect.poll(state, PATIENCE).toEqual(on);
    expect(polls()).toBe(pollsBefore + 1);

    await upstream.kill();
    for (const end = performance.now() + 3_000; performance.now() < end; ) expect(await state()).toEqual(on);
    const late = await context.newPage();
    await open(late, isLocal);
    expect(await read(late)).toEqual(on);
    evaluations += 1;
    await close(late);
    await late.close();

    await upstream.start();
    await upstream.admin.flags.toggle(flagId, false);
    await expect.poll(state, PATIENCE).toEqual(off);
    expect(complaints).toEqual([]);
    await close(page);
    await context.close();
    await expect.poll(counted, { timeout: 60_000, interval: 200 }).toBe(before + evaluations);
  },
);

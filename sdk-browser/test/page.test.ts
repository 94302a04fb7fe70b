import { localMode } from '@flagsvc/sdk-browser';
import { expect, test } from 'vitest';
import type { PageGlobals } from '../src/page/page-globals.ts';
import { EVALUATE, EVENTS, evaluateReply, RULESET, resultOf, rulesetReply } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const setUp = () => {
  const browser = createFakeBrowser();
  browser.server.script(RULESET, rulesetReply(1));
  browser.server.script(EVALUATE, evaluateReply('hello'));
  browser.server.script(EVENTS, { status: 202 });
  return browser;
};

test('a page has no request and no timer, however long it stays hidden', async () => {
  const { openTab, clock, server } = setUp();
  const tab = openTab();
  const client = tab.open({ mode: localMode() });
  await clock.advance(1000);
  client.flag('greeting', '');
  tab.hide();
  await clock.advance(20_000);
  const before = server.requests().length;
  expect(clock.timers()).toBe(0);
  client.flag('greeting', '');
  await clock.advance(86_400_000);
  expect(server.requests()).toHaveLength(before);
  expect(clock.timers()).toBe(0);
});

test('a page that opens hidden fetches when it is shown', async () => {
  const { openTab, clock, server } = setUp();
  const tab = openTab({ hidden: true });
  const client = tab.open({ mode: localMode() });
  await clock.advance(60_000);
  expect(server.requests()).toHaveLength(0);
  expect(client.flag('greeting', 'default')).toBe('default');
  tab.show();
  await clock.advance(0);
  expect(client.flag('greeting', 'default')).toBe('v1');
});

test('setContext fetches in a page that was never visible', async () => {
  const { openTab, clock } = setUp();
  const client = openTab({ hidden: true }).open();
  const switched = client.setContext({ user_key: 'u2' });
  await clock.advance(0);
  expect(await switched).toBe(true);
  expect(client.flag('me', 'default')).toBe('u2');
});

test('setContext fetches in a client that has a bootstrap but no document', async () => {
  const { openTab, clock } = setUp();
  const bootstrap = { evaluations: { me: resultOf('u1') } };
  const client = openTab({ without: ['document'] }).open({ bootstrap });
  const switched = client.setContext({ user_key: 'u2' });
  await clock.advance(0);
  expect(await switched).toBe(true);
  expect(client.flag('me', 'default')).toBe('u2');
});

test('hiding and showing a page that cannot send events causes no burst, and all events arrive later', async () => {
  const { openTab, clock, server } = setUp();
  server.script(EVENTS, { error: new TypeError('blocked') });
  const tab = openTab();
  const client = tab.open({ mode: localMode() });
  await clock.advance(1000);
  for (let i = 0; i < 50; i++) {
    client.flag('greeting', '');
    const before = server.requests(EVENTS).length;
    tab.hide();
    expect(server.requests(EVENTS).length - before).toBeLessThanOrEqual(4);
    await clock.advance(30_000);
    tab.show();
    await clock.advance(30_000);
  }
  server.script(EVENTS, { status: 202 });
  await clock.advance(600_000);
  expect(client.stats()).toMatchObject({ recorded: 51, delivered: 51, pending: 0, dropped: 0 });
});

test.each([
  [14_000, 1],
  [16_000, 2],
])('a page shown again %d ms after its last fetch makes %d fetches in total', async (ms, fetches) => {
  for (const without of [[], ['navigator']] as const) {
    const { openTab, clock, server } = setUp();
    const tab = openTab({ without });
    tab.open({ mode: localMode() });
    await clock.advance(0);
    tab.hide();
    await clock.advance(ms);
    tab.show();
    await clock.advance(100);
    expect(server.requests(RULESET)).toHaveLength(fetches);
    tab.hide();
    tab.show();
    await clock.advance(100);
    expect(server.requests(RULESET)).toHaveLength(fetches);
    await clock.advance(34_000);
    expect(server.requests(RULESET)).toHaveLength(fetches + 1);
  }
});

test('sends events at once when the page is hidden or left, each once', async () => {
  const { openTab, clock, server } = setUp();
  server.script(EVENTS, { status: 202, delayMs: 300 });
  const tab = openTab();
  const client = tab.open({ mode: localMode() });
  await clock.advance(1000);
  client.flag('greeting', '');
  tab.hide();
  // Events are sent synchronously, because a page that is left may run no further task.
  expect(server.requests(EVENTS)).toHaveLength(1);
  client.track('left');
  tab.fire('pagehide');
  expect(server.requests(EVENTS)).toHaveLength(2);
  expect(server.requests(EVENTS).every(({ keepalive }) => keepalive)).toBe(true);
  await clock.advance(1000);
  expect(client.stats()).toMatchObject({ recorded: 3, delivered: 3, pending: 0 });
});

test('a page restored from the back/forward cache continues', async () => {
  const { openTab, clock, server } = setUp();
  const tab = openTab();
  const client = tab.open({ mode: localMode() });
  await clock.advance(0);
  tab.fire('pagehide');
  await clock.advance(60_000);
  expect(server.requests(RULESET)).toHaveLength(1);
  server.script(RULESET, rulesetReply(2));
  tab.fire('pageshow');
  await clock.advance(0);
  expect(client.flag('greeting', '')).toBe('v2');
});

/** Requests in flight when a page leaves never settle in Firefox, not even when they are aborted. */
const loseRequests = (globals: { fetch?: PageGlobals['fetch'] }) => {
  const { fetch } = globals;
  globals.fetch = () => new Promise(() => {});
  return () => {
    globals.fetch = fetch!;
  };
};

test('a restored page resends the events that were in flight when it left, and frees their keepalive budget', async () => {
  const { openTab, clock, server } = setUp();
  const tab = openTab();
  const client = tab.open({ mode: localMode() });
  await clock.advance(1000);
  const text = 'x'.repeat(3900);
  for (let i = 0; i < 14; i++) client.track(`event-${i}`, { properties: { text } });
  const find = loseRequests(tab.globals);
  tab.fire('pagehide');
  find();
  tab.fire('pageshow');
  await clock.advance(20_000);
  expect(client.stats()).toMatchObject({ recorded: 14, delivered: 14, pending: 0, dropped: 0 });
  for (let i = 0; i < 14; i++) client.track(`again-${i}`, { properties: { text } });
  const before = server.requests(EVENTS).length;
  tab.hide();
  expect(
    server
      .requests(EVENTS)
      .slice(before)
      .every(({ keepalive }) => keepalive),
  ).toBe(true);
  await clock.advance(20_000);
});

test.each(['head', 'body'])(
  'a restored page fetches at once if the %s of an answer was lost',
  async (what) => {
    const { openTab, clock, server } = setUp();
    const tab = openTab();
    const client = tab.open({ mode: localMode() });
    await clock.advance(0);
    const find = loseRequests(tab.globals);
    if (what === 'body') {
      const reply = { status: 200, headers: new Headers(), text: () => new Promise(() => {}) };
      Object.assign(tab.globals, { fetch: async () => reply });
    }
    await clock.advance(34_000);
    find();
    server.script(RULESET, rulesetReply(2));
    tab.fire('pagehide');
    tab.fire('pageshow');
    await clock.advance(0);
    expect(client.flag('greeting', '')).toBe('v2');
  },
);

test('no batch exceeds the size that the server accepts from a page, even with characters of three bytes', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open({ app: '本'.repeat(100) });
  await clock.advance(0);
  const text = '本'.repeat(3_850);
  for (let i = 0; i < 200; i++)
    client.track(`event-${i}`, { properties: { text: text.slice((i * 37) % 900) } });
  await clock.advance(60_000);
  expect(client.stats()).toMatchObject({ delivered: 200, dropped: 0 });
  const sizes = server.requests(EVENTS).map(({ body }) => new Blob([body!]).size);
  expect(Math.max(...sizes)).toBeGreaterThan(50_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1_024);
});

test('keepalive requests of all clients of a page stay within 60 kB', async () => {
  const { openTab, clock, server } = setUp();
  server.script(EVENTS, { status: 202, delayMs: 300 });
  const tab = openTab();
  const clients = ['one', 'two'].map((apiKey) => tab.open({ apiKey }));
  await clock.advance(0);
  const text = 'é'.repeat(1900);
  for (const client of clients)
    for (let i = 0; i < 20; i++) client.track(`event-${i}`, { properties: { text } });
  tab.hide();
  const sent = server.requests(EVENTS);
  const bytes = (some: typeof sent) => some.reduce((sum, { body }) => sum + new Blob([body]).size, 0);
  expect(bytes(sent)).toBeGreaterThan(140_000);
  const outliving = sent.filter(({ keepalive }) => keepalive);
  expect(bytes(outliving)).toBeLessThanOrEqual(60_000);
  expect(bytes(outliving)).toBeGreaterThan(30_000);
  await clock.advance(1000);
  for (const client of clients) expect(client.stats()).toMatchObject({ delivered: 20, pending: 0 });
  tab.show();
  for (const client of clients)
    for (let i = 0; i < 20; i++) client.track(`event-${i}`, { properties: { text } });
  tab.hide();
  // The budget has been freed.
  const again = server.requests(EVENTS).slice(sent.length);
  expect(again.filter(({ keepalive }) => keepalive)).toHaveLength(outliving.length);
});

test('adds no listener that disables the back/forward cache, and removes its listeners on close', async () => {
  const { openTab, clock, holders } = setUp();
  const tab = openTab();
  const listening = new Map<string, number>();
  for (const target of [tab.globals, tab.globals.document!] as EventTarget[]) {
    const { addEventListener } = target;
    target.addEventListener = ((type: string, listener: EventListener, options: AddEventListenerOptions) => {
      listening.set(type, (listening.get(type) ?? 0) + 1);
      options.signal!.addEventListener('abort', () => listening.set(type, listening.get(type)! - 1));
      addEventListener.call(target, type, listener, options);
    }) as never;
  }
  const client = tab.open();
  await clock.advance(0);
  expect([...listening.keys()].sort()).toEqual(['pagehide', 'pageshow', 'visibilitychange']);
  expect(holders()).toBe(1);
  // Every page fires `pageshow` when it has loaded.
  tab.fire('pageshow');
  await clock.settle();
  expect(holders()).toBe(1);
  await client.close();
  await clock.settle();
  expect([...listening.values()]).toEqual([0, 0, 0]);
  expect(holders()).toBe(0);
});

test('closes when its signal is aborted', async () => {
  const { openTab, server, clock } = setUp();
  const controller = new AbortController();
  const client = openTab().open({ signal: controller.signal });
  await clock.advance(0);
  expect(client.status()).toBe('ready');
  controller.abort();
  await clock.advance(0);
  expect(client.status()).toBe('closed');
  const before = server.requests().length;
  await clock.advance(120_000);
  expect(server.requests()).toHaveLength(before);
  const aborted = openTab().open({ signal: AbortSignal.abort() });
  await clock.advance(0);
  expect(aborted.status()).toBe('closed');
});

test('removes its listener from the signal on close', async () => {
  const { openTab, clock } = setUp();
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
  const client = openTab().open({ signal });
  await clock.advance(0);
  expect(listeners.size).toBe(1);
  await client.close();
  expect(listeners.size).toBe(0);
});

import { type BrowserClientOptions, localMode, remoteMode } from '@flagsvc/sdk-browser';
import { streaming } from '@flagsvc/sdk-browser/streaming';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { createFakeBrowser } from './fake-page.ts';

/** A streaming server for all tabs. Bodies are real streams, so tests wait for conditions. */
const setUp = (how: BrowserClientOptions['streaming'] = streaming, mode = localMode) => {
  const browser = createFakeBrowser();
  let version = 1;
  let refuses = false;
  const seen: string[] = [];
  const streams = new Set<ReadableStreamDefaultController>();
  const send = (controller: ReadableStreamDefaultController, text: string) =>
    controller.enqueue(new TextEncoder().encode(text));
  const event = () =>
    `id: ${version}\nevent: ruleset.updated\ndata: ${JSON.stringify({ version, etag: `"${version}"`, refetch_within_ms: 0 })}\n\n`;
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const path = new URL(url).pathname;
    seen.push(path);
    if (path === '/sdk/stream') {
      if (refuses) return new Response('', { status: 503 });
      let mine: ReadableStreamDefaultController | undefined;
      const body = new ReadableStream({
        start(controller) {
          mine = controller;
          streams.add(controller);
          send(controller, event());
        },
      });
      init.signal?.addEventListener('abort', () => {
        if (streams.delete(mine!)) mine!.error(new Error('aborted'));
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    }
    if (path === '/evaluate') {
      const result = { value: `v${version}`, variation_key: 'on', reason: 'DEFAULT', rule_id: null };
      return new Response(JSON.stringify({ data: { evaluations: { greeting: result } } }));
    }
    const etag = `"${version}"`;
    if (new Headers(init.headers).get('if-none-match') === etag) return new Response(null, { status: 304 });
    const data = createTestRuleset({ greeting: `v${version}` }, version);
    return new Response(JSON.stringify({ data }), { headers: { etag } });
  };
  const open = (tab = browser.openTab()) => ({
    tab,
    client: tab.open({ mode: mode(), cache: false, streaming: how, fetch: fetch as never }),
  });
  return {
    ...browser,
    open,
    streams,
    count: (path: string) => seen.filter((one) => one === path).length,
    publish(next: number) {
      version = next;
      for (const controller of streams) send(controller, event());
    },
    keepAlive() {
      for (const controller of streams) send(controller, ':\n\n');
    },
    breakStreams() {
      refuses = true;
      for (const controller of streams) controller.error(new Error('reset'));
      streams.clear();
    },
  };
};
/** Waits for a condition while the simulated clock stands still; streams run in real time. */
const eventually = (isTrue: () => boolean, clock: { advance(ms: number): Promise<void> }) =>
  expect.poll(async () => clock.advance(1).then(isTrue), { timeout: 4_000, interval: 5 }).toBe(true);

test('serves an announced change at once in all tabs, by one stream', async () => {
  const setup = setUp();
  const { client: first } = setup.open();
  await eventually(() => setup.streams.size === 1, setup.clock);
  const { client: second } = setup.open();
  await eventually(
    () => first.flag('greeting', '') === 'v1' && second.flag('greeting', '') === 'v1',
    setup.clock,
  );
  setup.publish(2);
  await eventually(
    () => first.flag('greeting', '') === 'v2' && second.flag('greeting', '') === 'v2',
    setup.clock,
  );
  expect(setup.streams.size).toBe(1);
  expect(setup.count('/sdk/ruleset')).toBe(2);
});

test('no tab polls while one tab has a live stream', async () => {
  const setup = setUp();
  const { client: first } = setup.open();
  await eventually(() => setup.streams.size === 1, setup.clock);
  const { client: second } = setup.open();
  await eventually(() => second.flag('greeting', '') === 'v1', setup.clock);
  const before = setup.count('/sdk/ruleset');
  for (let count = 0; count < 20; count++) {
    setup.keepAlive();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    await setup.clock.advance(15_000);
  }
  expect(setup.count('/sdk/ruleset')).toBe(before);
  expect([first.status(), second.status()]).toEqual(['ready', 'ready']);
});

test('sends answers without a tag to the other tabs once per confirmation by the stream', async () => {
  const setup = setUp(streaming, remoteMode);
  const clients = Array.from({ length: 4 }, () => setup.open().client);
  await eventually(() => setup.streams.size === 1, setup.clock);
  setup.publish(2);
  await eventually(() => clients.every((client) => client.flag('greeting', '') === 'v2'), setup.clock);
  const asked = setup.count('/evaluate');
  for (let count = 0; count < 5; count++) {
    await setup.clock.advance(15_000);
    setup.messages.length = 0;
    setup.keepAlive();
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(setup.messages).toMatchObject([{ data: { evaluations: { greeting: { value: 'v2' } } } }]);
  }
  expect(setup.count('/evaluate')).toBe(asked);
  expect(clients.map((client) => client.status())).toEqual(clients.map(() => 'ready'));
});

test('a hidden page closes its stream, and a page that is shown again opens one', async () => {
  const setup = setUp();
  const { tab, client } = setup.open();
  await eventually(() => setup.streams.size === 1, setup.clock);
  tab.hide();
  await eventually(() => setup.streams.size === 0, setup.clock);
  tab.show();
  await eventually(() => setup.streams.size === 1, setup.clock);
  setup.publish(2);
  await eventually(() => client.flag('greeting', '') === 'v2', setup.clock);
  await client.close();
  await eventually(() => setup.streams.size === 0, setup.clock);
});

test('another tab streams when the streaming tab closes', async () => {
  const setup = setUp();
  const { tab } = setup.open();
  await eventually(() => setup.streams.size === 1, setup.clock);
  const { client } = setup.open();
  await eventually(() => client.flag('greeting', '') === 'v1', setup.clock);
  tab.hide();
  await eventually(() => setup.count('/sdk/stream') === 2 && setup.streams.size === 1, setup.clock);
  setup.publish(2);
  await eventually(() => client.flag('greeting', '') === 'v2', setup.clock);
});

test('polls when there is no stream', async () => {
  const setup = setUp();
  const { client } = setup.open();
  await eventually(() => setup.streams.size === 1 && client.flag('greeting', '') === 'v1', setup.clock);
  setup.breakStreams();
  setup.publish(2);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  await setup.clock.advance(33_001);
  await eventually(() => client.flag('greeting', '') === 'v2', setup.clock);
});

test('refuses an invalid streaming option, and opens no stream without one', async () => {
  for (const wrong of [true, 'yes'])
    expect(() => setUp(wrong as never).open()).toThrow('option streaming must be a function');
  const setup = setUp(false);
  const { client } = setup.open();
  await eventually(() => client.flag('greeting', '') === 'v1', setup.clock);
  expect(setup.count('/sdk/stream')).toBe(0);
});

test('a page that is hidden and shown again at once opens only one stream, which ends when the client closes', async () => {
  const setup = setUp();
  const { client, tab } = setup.open();
  tab.hide();
  tab.show();
  tab.hide();
  tab.show();
  await eventually(() => setup.streams.size > 0, setup.clock);
  await eventually(() => client.flag('greeting', '') === 'v1', setup.clock);
  expect(setup.streams.size).toBe(1);
  await client.close();
  await setup.clock.advance(120_000);
  expect(setup.streams.size).toBe(0);
});

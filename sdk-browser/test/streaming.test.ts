import { type BrowserClientOptions, localMode, remoteMode } from '@flagsvc/sdk-browser';
import { streaming } from '@flagsvc/sdk-browser/streaming';
import { createTestRuleset } from '@flagsvc/sdk-core/testing';
import { expect, test } from 'vitest';
import { createFakeBrowser } from './fake-page.ts';

/** A server for all tabs that streams; bodies are real, so that tests wait for what shall happen. */
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
/** Time stands still meanwhile, but for what is real: streams. */
const eventually = (isTrue: () => boolean, clock: { advance(ms: number): Promise<void> }) =>
  expect.poll(async () => clock.advance(1).then(isTrue), { timeout: 4_000, interval: 5 }).toBe(true);

test('serves an announced change at once, in all tabs, by one stream', async () => {
  const world = setUp();
  const { client: first } = world.open();
  await eventually(() => world.streams.size === 1, world.clock);
  const { client: second } = world.open();
  await eventually(
    () => first.flag('greeting', '') === 'v1' && second.flag('greeting', '') === 'v1',
    world.clock,
  );
  world.publish(2);
  await eventually(
    () => first.flag('greeting', '') === 'v2' && second.flag('greeting', '') === 'v2',
    world.clock,
  );
  expect(world.streams.size).toBe(1);
  expect(world.count('/sdk/ruleset')).toBe(2);
});

test('no tab polls while the stream of one is alive', async () => {
  const world = setUp();
  const { client: first } = world.open();
  await eventually(() => world.streams.size === 1, world.clock);
  const { client: second } = world.open();
  await eventually(() => second.flag('greeting', '') === 'v1', world.clock);
  const before = world.count('/sdk/ruleset');
  for (let count = 0; count < 20; count++) {
    world.keepAlive();
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    await world.clock.advance(15_000);
  }
  expect(world.count('/sdk/ruleset')).toBe(before);
  expect([first.status(), second.status()]).toEqual(['ready', 'ready']);
});

test('answers of the server, which have no tag, are handed on once when the stream confirms them', async () => {
  const world = setUp(streaming, remoteMode);
  const clients = Array.from({ length: 4 }, () => world.open().client);
  await eventually(() => world.streams.size === 1, world.clock);
  world.publish(2);
  await eventually(() => clients.every((client) => client.flag('greeting', '') === 'v2'), world.clock);
  const asked = world.count('/evaluate');
  for (let count = 0; count < 5; count++) {
    await world.clock.advance(15_000);
    world.messages.length = 0;
    world.keepAlive();
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(world.messages).toMatchObject([{ data: { evaluations: { greeting: { value: 'v2' } } } }]);
  }
  expect(world.count('/evaluate')).toBe(asked);
  expect(clients.map((client) => client.status())).toEqual(clients.map(() => 'ready'));
});

test('a hidden page has no stream, and a page that is shown again has one', async () => {
  const world = setUp();
  const { tab, client } = world.open();
  await eventually(() => world.streams.size === 1, world.clock);
  tab.hide();
  await eventually(() => world.streams.size === 0, world.clock);
  tab.show();
  await eventually(() => world.streams.size === 1, world.clock);
  world.publish(2);
  await eventually(() => client.flag('greeting', '') === 'v2', world.clock);
  await client.close();
  await eventually(() => world.streams.size === 0, world.clock);
});

test('when the tab that streams goes, another one does', async () => {
  const world = setUp();
  const { tab } = world.open();
  await eventually(() => world.streams.size === 1, world.clock);
  const { client } = world.open();
  await eventually(() => client.flag('greeting', '') === 'v1', world.clock);
  tab.hide();
  await eventually(() => world.count('/sdk/stream') === 2 && world.streams.size === 1, world.clock);
  world.publish(2);
  await eventually(() => client.flag('greeting', '') === 'v2', world.clock);
});

test('polls when there is no stream', async () => {
  const world = setUp();
  const { client } = world.open();
  await eventually(() => world.streams.size === 1 && client.flag('greeting', '') === 'v1', world.clock);
  world.breakStreams();
  world.publish(2);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  await world.clock.advance(33_001);
  await eventually(() => client.flag('greeting', '') === 'v2', world.clock);
});

test('refuses a stream by name and names the door to hand in, and opens none when none is handed in', async () => {
  for (const wrong of [true, 'yes'])
    expect(() => setUp(wrong as never).open()).toThrow('option streaming must be a function');
  const world = setUp(false);
  const { client } = world.open();
  await eventually(() => client.flag('greeting', '') === 'v1', world.clock);
  expect(world.count('/sdk/stream')).toBe(0);
});

test('opens one stream, and leaves none, when a page is hidden and shown again at once', async () => {
  const world = setUp();
  const { client, tab } = world.open();
  tab.hide();
  tab.show();
  tab.hide();
  tab.show();
  await eventually(() => world.streams.size > 0, world.clock);
  await eventually(() => client.flag('greeting', '') === 'v1', world.clock);
  expect(world.streams.size).toBe(1);
  await client.close();
  await world.clock.advance(120_000);
  expect(world.streams.size).toBe(0);
});

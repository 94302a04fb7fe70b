import { localMode } from '@flagsvc/sdk-browser';
import { expect, test, vi } from 'vitest';
import { hashText, systemPorts } from '../src/page/page-globals.ts';
import { EVALUATE, evaluateReply, RULESET, resultOf, rulesetReply } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const DAY_MS = 86_400_000;
const setUp = () => {
  const browser = createFakeBrowser();
  browser.server.script(RULESET, rulesetReply(1));
  browser.server.script(EVALUATE, evaluateReply('hello'));
  /** Opens a page, lets it fetch, and leaves it. */
  const visit = async (options: Parameters<ReturnType<typeof browser.openTab>['open']>[0] = {}) => {
    const client = browser.openTab().open(options);
    await browser.clock.advance(0);
    await client.close({ timeoutMs: 0 });
  };
  return { ...browser, visit };
};

test('answers the first read of the next visit from the cache, and fetches conditionally', async () => {
  const { openTab, clock, server, visit } = setUp();
  await visit({ mode: localMode() });
  const client = openTab().open({ mode: localMode() });
  expect([client.flag('greeting', ''), client.status()]).toEqual(['v1', 'cached']);
  await clock.advance(0);
  expect(client.status()).toBe('ready');
  expect(server.requests(RULESET).at(-1)!.headers['if-none-match']).toBe('"1"');
});

test('a bootstrap wins over the cache', async () => {
  const { openTab, visit } = setUp();
  await visit();
  const client = openTab().open({ bootstrap: { evaluations: { greeting: resultOf('rendered') } } });
  expect(client.flag('greeting', '')).toBe('rendered');
});

test('does not serve answers for one user to another', async () => {
  const { openTab, visit, clock } = setUp();
  await visit({ context: { user_key: 'userAb' } });
  const other = openTab().open({ context: { user_key: 'userBA' } });
  expect([other.flag('me', 'default'), other.status()]).toEqual(['default', 'initializing']);
  expect(
    openTab()
      .open({ context: { user_key: 'userAb' } })
      .flag('me', ''),
  ).toBe('userAb');
  expect(openTab().open({ mode: localMode() }).flag('me', 'default')).toBe('default');
  await clock.advance(0);
});

test('after a change of context, the next visit with the new context finds its answers in the cache', async () => {
  const { openTab, clock } = setUp();
  const client = openTab().open();
  await clock.advance(0);
  await client.setContext({ user_key: 'u2' });
  expect(
    openTab()
      .open({ context: { user_key: 'u2' } })
      .flag('me', ''),
  ).toBe('u2');
  expect(openTab().open().flag('me', 'default')).toBe('default');
});

test('keeps one entry per key and address, whose name reveals neither these nor the user', async () => {
  const { storage, visit } = setUp();
  for (const user_key of ['u1', 'u2', 'u3']) await visit({ context: { user_key } });
  await visit({ apiKey: 'sdk-dev-second' });
  const names = [...storage.entries.keys()];
  expect(names).toHaveLength(2);
  for (const name of names) expect(name).toMatch(/^flagsvc-[0-9a-z]{8,14}$/);
  expect(JSON.stringify([...storage.entries])).not.toContain('sdk-dev');
});

test.each([
  ['7 days later', 7 * DAY_MS, 'default'],
  ['with a clock that was set back a year', -365 * DAY_MS, 'default'],
  ['almost 7 days later', 7 * DAY_MS - 60_000, 'hello'],
])('%s, the first read returns %3$s', async (_, laterMs, expected) => {
  const { openTab, visit, clock } = setUp();
  await visit();
  clock.jump(laterMs);
  expect(openTab().open().flag('greeting', 'default')).toBe(expected);
});

test('keeps at most 1 MiB, and removes the old answer if the new one does not fit', async () => {
  const { storage, visit, server } = setUp();
  await visit();
  expect(storage.entries.size).toBe(1);
  server.script(EVALUATE, { body: { data: { evaluations: { big: resultOf('x'.repeat(2 ** 19)) } } } });
  await visit();
  expect(storage.entries.size).toBe(0);
});

test.each<[string, (browser: ReturnType<typeof setUp>) => unknown]>([
  ['full', ({ storage }) => Object.assign(storage, { isFull: true })],
  [
    'full of nonsense',
    ({ storage }) => {
      for (const key of storage.entries.keys()) storage.entries.set(key, '{"data":');
    },
  ],
  [
    'full of null',
    ({ storage }) => {
      for (const key of storage.entries.keys()) storage.entries.set(key, 'null');
    },
  ],
])('works with storage that is %s', async (_, spoil) => {
  const browser = setUp();
  await browser.visit();
  spoil(browser);
  const client = browser.openTab().open();
  await browser.clock.advance(0);
  expect([client.flag('greeting', ''), client.status()]).toEqual(['hello', 'ready']);
  expect(browser.lines).toEqual([]);
});

test('works in a page that may not access its storage', async () => {
  const { openTab, clock, lines } = setUp();
  const tab = openTab();
  Object.defineProperty(tab.globals, 'localStorage', {
    get() {
      throw new DOMException('no', 'SecurityError');
    },
  });
  const client = tab.open();
  await clock.advance(0);
  expect(client.flag('greeting', '')).toBe('hello');
  expect(lines).toEqual([]);
});

test('keeps nothing with cache: false', async () => {
  const { storage, visit } = setUp();
  await visit({ cache: false });
  expect(storage.entries.size).toBe(0);
});

test('similar texts have different hashes', () => {
  const texts = new Set<string>();
  const hashes = new Set<string>();
  for (let i = 0; i < 40_000; i++) {
    const text = `user${String.fromCharCode(65 + (i % 58))}${String.fromCharCode(65 + (i % 57))}${i >> 6}`;
    texts.add(text);
    hashes.add(hashText(text));
  }
  expect(hashes.size).toBe(texts.size);
  expect(hashText('')).toBe(hashText(''));
});

test('looks up `Date.now` on each call, so a clock that is replaced after the page was loaded is used', () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(5);
  expect(systemPorts.clock.now()).toBe(5);
  now.mockRestore();
});

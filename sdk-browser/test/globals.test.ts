/** Clients without a page, or with only some of its globals: workers, extensions, apps, servers. */
import { fileURLToPath } from 'node:url';
import { constants, createContext, runInContext } from 'node:vm';
import { type BrowserClient, createPageClient, localMode, type PageGlobals } from '@flagsvc/sdk-browser';
import { expect, test } from 'vitest';
import { bundle } from '../../scripts/weight.ts';
import { EVALUATE, EVENTS, evaluateReply, RULESET, resultOf, rulesetReply } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const setUp = () => {
  const browser = createFakeBrowser();
  browser.server.script(EVALUATE, evaluateReply('hello'));
  browser.server.script(RULESET, rulesetReply(1));
  browser.server.script(EVENTS, { status: 202 });
  return browser;
};
const code = bundle(
  `import { createBrowserClient } from '@flagsvc/sdk-browser'; globalThis.create = createBrowserClient;`,
  fileURLToPath(new URL('..', import.meta.url)),
  { format: 'iife' },
);

/** Opens a client in a realm with only these globals of a page. */
const openRealm = async (names: readonly (keyof PageGlobals)[]) => {
  const { clock, server, openTab, lines } = setUp();
  const { globals, hide } = openTab();
  const realm = createContext(constants.DONT_CONTEXTIFY);
  Object.assign(realm, Object.fromEntries(names.map((name) => [name, globals[name]])), {
    AbortController,
    Blob,
    performance: { now: clock.monotonic },
    setTimeout: clock.setTimer,
    clearTimeout: clock.clearTimer,
    console: { warn: (line: string) => void lines.push(line) },
  });
  runInContext((await code).text, realm);
  const options = `{ apiKey: 'sdk-dev-page', baseUrl: 'http://test', context: { user_key: 'u1' } }`;
  const client: BrowserClient = runInContext(`create(${options})`, realm);
  return { client, clock, server, lines, hide };
};
const OPTIONAL = ['addEventListener', 'localStorage', 'navigator', 'BroadcastChannel'] as const;
const ALL = ['document', 'fetch', ...OPTIONAL] as const;

test.each([
  ['everything', ALL],
  ...OPTIONAL.map((missing) => [`no ${missing}`, ALL.filter((name) => name !== missing)] as const),
  ['document and fetch alone', ['document', 'fetch']],
] as const)('serves, polls and reports in a page with %s, and logs nothing', async (_, names) => {
  const { client, clock, server, lines, hide } = await openRealm(names);
  await clock.advance(1_100);
  expect([client.status(), client.flag('greeting', 'default')]).toEqual(['ready', 'hello']);
  await clock.advance(34_000);
  expect(server.requests(EVALUATE)).toHaveLength(2);
  hide();
  await clock.advance(0);
  expect(client.stats()).toMatchObject({ recorded: 1, delivered: 1 });
  expect(lines).toEqual([]);
});

test.each([
  ['all globals but the document', ALL.filter((name) => name !== 'document')],
  ['fetch alone', ['fetch']],
  ['none of these globals', []],
] as const)('closes at once and reports that there is no document, with %s', async (_, names) => {
  const { client, clock, server, lines } = await openRealm(names);
  expect(lines).toEqual(['flagsvc: NO_DOCUMENT use createPageClient']);
  expect(client.status()).toBe('closed');
  let settled: string | undefined;
  client.ready().then((status) => {
    settled = status;
  });
  await clock.settle();
  expect(settled).toBe('closed');
  expect([client.flag('greeting', 'default'), await client.setContext({ user_key: 'u2' })]).toEqual([
    'default',
    false,
  ]);
  await clock.advance(3_600_000);
  expect([server.requests().length, clock.timers(), lines.length]).toEqual([0, 0, 1]);
});

test('logs nothing on a server that renders from a bootstrap', () => {
  const { openTab, lines } = setUp();
  const bootstrap = { evaluations: { greeting: resultOf('rendered') } };
  const client = openTab({ without: [...OPTIONAL, 'document'] }).open({ bootstrap });
  expect([client.flag('greeting', ''), client.status(), lines]).toEqual(['rendered', 'cached', []]);
});

test('runs on the document and storage of an app', async () => {
  const { clock, server } = setUp();
  const kept = new Map<string, string>();
  const listeners = new Set<(state: 'active' | 'background') => void>();
  let state: 'active' | 'background' = 'active';
  const become = (next: typeof state) => {
    state = next;
    for (const listener of listeners) listener(next);
  };
  const app: PageGlobals = {
    document: {
      get visibilityState() {
        return state === 'active' ? 'visible' : 'hidden';
      },
      addEventListener(type, listener, { signal }) {
        const tell = () => listener({ type });
        listeners.add(tell);
        signal.addEventListener('abort', () => listeners.delete(tell));
      },
    },
    localStorage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, text) => void kept.set(name, text),
      removeItem: (name) => void kept.delete(name),
    },
    fetch: server.fetch as never,
  };
  const open = () =>
    createPageClient(
      {
        apiKey: 'sdk-dev-app',
        baseUrl: 'http://test',
        context: { user_key: 'u1' },
        mode: localMode(),
        logger: false,
      },
      app,
      { clock, random: () => 0.5, newController: () => new AbortController() },
    );
  const client = open();
  await clock.advance(0);
  expect([client.status(), client.flag('greeting', '')]).toEqual(['ready', 'v1']);
  become('background');
  await clock.advance(3_600_000);
  expect(server.requests(RULESET)).toHaveLength(1);
  // The two events are an evaluation and its exposure.
  expect(client.stats()).toMatchObject({ recorded: 2, delivered: 2 });
  become('active');
  await clock.advance(0);
  expect(server.requests(RULESET)).toHaveLength(2);
  await client.close();
  expect(listeners.size).toBe(0);
  expect([open().status(), kept.size]).toEqual(['cached', 1]);
});

import { localMode } from '@flagsvc/sdk-browser';
import { expect, test } from 'vitest';
import { EVALUATE, EVENTS, evaluateReply, RULESET, rulesetReply } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const setUp = () => {
  const browser = createFakeBrowser();
  browser.server.script(RULESET, rulesetReply(1));
  browser.server.script(EVALUATE, evaluateReply('hello'));
  const fetches = () => browser.server.requests(RULESET).length;
  return { ...browser, fetches };
};
const local = () => ({ mode: localMode(), cache: false });

test('one of five tabs polls, and all get its answers at once', async () => {
  const { openTab, clock, server, fetches } = setUp();
  const clients = [];
  for (let i = 0; i < 5; i++) {
    clients.push(openTab().open(local()));
    await clock.advance(10);
  }
  expect(clients.map((client) => client.flag('greeting', ''))).toEqual(Array(5).fill('v1'));
  expect(clients.map((client) => client.status())).toEqual(Array(5).fill('ready'));
  expect(fetches()).toBe(1);
  await clock.advance(600_000);
  expect(fetches()).toBeGreaterThan(17);
  expect(fetches()).toBeLessThan(24);
  server.script(RULESET, rulesetReply(2));
  const before = fetches();
  while (fetches() === before) await clock.advance(10);
  expect(clients.map((client) => client.flag('greeting', ''))).toEqual(Array(5).fill('v2'));
});

test.each(['hidden', 'closed'])(
  'another tab polls within a second when the polling tab is %s',
  async (how) => {
    const { openTab, clock, server, fetches } = setUp();
    const [first, second] = [openTab(), openTab()];
    const leader = first.open(local());
    await clock.advance(100);
    const follower = second.open(local());
    await clock.advance(20_000);
    expect(fetches()).toBe(1);
    server.script(RULESET, rulesetReply(2));
    if (how === 'hidden') first.hide();
    else await leader.close();
    await clock.advance(1000);
    expect(fetches()).toBe(2);
    expect(follower.flag('greeting', '')).toBe('v2');
    await clock.advance(600_000);
    expect(fetches()).toBeLessThan(26);
    if (how === 'closed') return;
    first.show();
    await clock.advance(10);
    expect(leader.flag('greeting', '')).toBe('v2');
    const before = fetches();
    await clock.advance(600_000);
    expect(fetches() - before).toBeLessThan(24);
  },
);

test('no tab polls while all are hidden', async () => {
  const { openTab, clock, fetches } = setUp();
  const tabs = [openTab(), openTab()];
  for (const tab of tabs) tab.open(local());
  await clock.advance(100);
  for (const tab of tabs) tab.hide();
  await clock.advance(11_000);
  expect(clock.timers()).toBe(0);
  const before = fetches();
  await clock.advance(3_600_000);
  expect(fetches()).toBe(before);
});

test('a tab without an answer from the leader fetches by itself after a second', async () => {
  const { openTab, clock, fetches, server } = setUp();
  server.script(RULESET, { delayMs: Number.POSITIVE_INFINITY });
  const leader = openTab().open({ ...local(), requestTimeoutMs: 2 ** 30 });
  await clock.advance(100);
  server.script(RULESET, rulesetReply(1));
  const client = openTab().open(local());
  await clock.advance(999);
  expect(client.status()).toBe('initializing');
  await clock.advance(1);
  expect(client.status()).toBe('ready');
  // All tabs have the ruleset that one tab fetched.
  expect(leader.status()).toBe('ready');
  expect(fetches()).toBe(2);
});

test('never sends answers for the previous user to tabs of the next one, even after an unexpected 304', async () => {
  const { openTab, clock, server } = setUp();
  const first = openTab().open({ cache: false });
  await clock.advance(1000);
  server.script(EVALUATE, { status: 304 });
  first.setContext({ user_key: 'u2' });
  await clock.advance(5000);
  const second = openTab().open({ cache: false, context: { user_key: 'u2' } });
  await clock.advance(3000);
  expect([second.flag('me', 'default'), second.status()]).toEqual(['default', 'initializing']);
});

test('a tab gets nothing for its previous user, even if its lock is released late', async () => {
  const { openTab, clock } = setUp();
  openTab().open({ cache: false });
  await clock.advance(10);
  const tab = openTab();
  Object.assign(tab.globals, {
    navigator: { locks: { request: () => new Promise<void>((resolve) => clock.setTimer(resolve, 60_000)) } },
  });
  const client = tab.open({ cache: false });
  await clock.advance(10);
  const switched = client.setContext({ user_key: 'u2' });
  await clock.advance(10);
  await switched;
  // The leader of the previous user sends its answers to a third tab.
  openTab().open({ cache: false });
  await clock.advance(10);
  expect(client.flag('me', 'default')).toBe('u2');
});

test('a tab whose leader is silent for two intervals fetches by itself', async () => {
  const { openTab, clock, fetches } = setUp();
  openTab().open({ ...local(), pollIntervalMs: 2 ** 30 });
  await clock.advance(10);
  openTab().open(local());
  await clock.advance(59_000);
  expect(fetches()).toBe(1);
  await clock.advance(2000);
  expect(fetches()).toBe(2);
});

test('a tab with an older ruleset requests the confirmed one from the leader', async () => {
  const { openTab, clock, server, fetches } = setUp();
  const [first, second] = [openTab(), openTab()];
  const leader = first.open(local());
  await clock.advance(100);
  const follower = second.open(local());
  await clock.advance(100);
  second.hide();
  server.script(RULESET, rulesetReply(2));
  await clock.advance(33_000);
  expect(leader.flag('greeting', '')).toBe('v2');
  expect(follower.flag('greeting', '')).toBe('v1');
  const before = fetches();
  second.show();
  await clock.advance(10);
  expect(follower.flag('greeting', '')).toBe('v2');
  expect(fetches()).toBe(before);
});

test('tabs with different keys, modes or users do not share answers', async () => {
  const { openTab, clock, server } = setUp();
  const one = openTab().open();
  const two = openTab().open({ context: { user_key: 'u2' } });
  const other = openTab().open({ ...local(), apiKey: 'sdk-dev-other' });
  const same = openTab().open();
  await clock.advance(10);
  expect([one.flag('me', ''), two.flag('me', ''), same.flag('me', '')]).toEqual(['u1', 'u2', 'u1']);
  expect(other.flag('greeting', '')).toBe('v1');
  expect(server.requests(EVALUATE)).toHaveLength(2);
  const switched = same.setContext({ user_key: 'u2' });
  await clock.advance(10);
  await switched;
  expect([one.flag('me', ''), same.flag('me', '')]).toEqual(['u1', 'u2']);
  const before = server.requests(EVALUATE).length;
  await clock.advance(600_000);
  expect([one.flag('me', ''), two.flag('me', ''), same.flag('me', '')]).toEqual(['u1', 'u2', 'u2']);
  // One poller per user.
  expect(server.requests(EVALUATE).length - before).toBeLessThan(48);
});

test.each<['navigator' | 'BroadcastChannel']>([['navigator'], ['BroadcastChannel']])(
  'without %s each tab polls on its own',
  async (missing) => {
    const { openTab, clock, fetches } = setUp();
    const clients = [0, 1].map(() => openTab({ without: [missing] }).open(local()));
    await clock.advance(0);
    expect(clients.map((client) => client.flag('greeting', ''))).toEqual(['v1', 'v1']);
    expect(fetches()).toBe(2);
  },
);

/** Blocks storage, locks and channels, as in a frame without storage access or with blocked cookies. */
const refusals: [string, object][] = [
  ['locks are', { navigator: { locks: { request: async () => refuse() } } }],
  [
    'channels are',
    {
      BroadcastChannel: class {
        constructor() {
          refuse();
        }
      },
    },
  ],
];
const refuse = () => {
  throw new DOMException('The operation is insecure.', 'SecurityError');
};

test.each(refusals)(
  'if %s refused, each tab polls on its own at once, and only while it is visible',
  async (_, globals) => {
    const { openTab, clock, server, fetches, lines } = setUp();
    const tab = openTab();
    Object.assign(tab.globals, globals);
    const client = tab.open(local());
    await clock.advance(0);
    expect([client.status(), fetches()]).toEqual(['ready', 1]);
    server.script(EVENTS, { status: 202 });
    server.script(RULESET, rulesetReply(2));
    await clock.advance(33_000);
    expect([client.flag('greeting', ''), fetches()]).toEqual(['v2', 2]);
    tab.hide();
    await clock.advance(100_000);
    expect([fetches(), clock.timers()]).toEqual([2, 0]);
    tab.show();
    tab.hide();
    await clock.advance(100_000);
    expect([fetches(), clock.timers()]).toEqual([2, 0]);
    expect(lines).toEqual([]);
  },
);

test('a new leader sends the payload that it received from its predecessor', async () => {
  const { openTab, clock, fetches } = setUp();
  const leader = openTab().open(local());
  await clock.advance(10);
  openTab().open(local());
  await clock.advance(35_000);
  const before = fetches();
  await leader.close();
  const third = openTab().open(local());
  await clock.advance(100);
  expect(third.flag('greeting', '')).toBe('v1');
  expect(fetches()).toBe(before);
});

test('a leader that cannot reach the server sends nothing; once it can, all tabs get its ruleset', async () => {
  const { openTab, clock, server, fetches } = setUp();
  const leader = openTab().open(local());
  await clock.advance(10);
  server.script(RULESET, { error: new TypeError('offline') });
  await clock.advance(100_000);
  expect(leader.status()).toBe('stale');
  const second = openTab().open(local());
  await clock.advance(5000);
  expect(second.status()).toBe('initializing');
  // The server answers the leader with 304, so the leader sends the other tab the ruleset that it already has.
  server.script(RULESET, (request) =>
    request.headers['if-none-match'] ? { status: 304 } : { error: new TypeError('offline') },
  );
  const before = fetches();
  while (leader.status() === 'stale') await clock.advance(100);
  await clock.advance(10);
  expect(second.flag('greeting', '')).toBe('v1');
  expect(fetches()).toBeGreaterThan(before);
});

test('does not send answers for the previous user to the next one', async () => {
  const { openTab, clock, server } = setUp();
  const first = openTab().open({ cache: false });
  await clock.advance(10);
  server.script(EVALUATE, evaluateReply('hello', 500));
  first.setContext({ user_key: 'u2' });
  await clock.advance(10);
  const second = openTab().open({ cache: false, context: { user_key: 'u2' } });
  await clock.advance(10);
  expect(second.flag('me', 'default')).toBe('default');
  await clock.advance(500);
  expect(second.flag('me', 'default')).toBe('u2');
});

test('a page that is hidden while it joins leaves no lock and no timer', async () => {
  for (let moments = 0; moments < 8; moments++) {
    const { openTab, clock, holders } = setUp();
    const tab = openTab();
    tab.open(local());
    for (let moment = 0; moment < moments; moment++) await Promise.resolve();
    tab.hide();
    await clock.advance(11_000);
    expect([holders(), clock.timers()]).toEqual([0, 0]);
  }
});

import { localMode, remoteMode } from '@flagsvc/sdk-browser';
import { expect, test } from 'vitest';
import { createPageClient } from '../src/client/browser-client.ts';
import { EVALUATE, EVENTS, evaluateReply, RULESET, resultOf, rulesetOf, rulesetReply } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const setUp = () => {
  const browser = createFakeBrowser();
  browser.server.script(RULESET, rulesetReply(1));
  browser.server.script(EVALUATE, evaluateReply('hello'));
  browser.server.script(EVENTS, { status: 202 });
  return browser;
};

test('evaluates remotely by default, and polls every 30 s', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open({ context: { user_key: 'u7', attributes: { plan: 'pro' } } });
  expect(client.flag('greeting', 'default')).toBe('default');
  expect(client.status()).toBe('initializing');
  await clock.advance(0);
  expect(client.status()).toBe('ready');
  expect(client.flag('greeting', 'default')).toBe('hello');
  expect(client.flagDetails('me', '')).toEqual(resultOf('u7'));
  expect(client.flag('missing', 'default')).toBe('default');
  expect(client.flag('constructor', 'default')).toBe('default');
  expect(client.flag('greeting', 7)).toBe(7);
  expect(Object.keys(client.evaluateAll())).toEqual(['greeting', 'me', 'list']);
  expect(JSON.parse(server.requests(EVALUATE)[0]!.body)).toEqual({
    flags: ['*'],
    context: { user_key: 'u7', attributes: { plan: 'pro' } },
  });
  await clock.advance(61_000);
  expect(server.requests(EVALUATE)).toHaveLength(3);
  expect(server.requests(RULESET)).toHaveLength(0);
});

test('evaluates locally with localMode, and polls with the tag', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open({ mode: localMode() });
  await clock.advance(0);
  expect(client.flag('greeting', '')).toBe('v1');
  await clock.advance(34_000);
  expect(server.requests(RULESET).map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"']);
  expect(client.status()).toBe('ready');
  expect(server.requests(EVALUATE)).toHaveLength(0);
});

test('answers the first read from the bootstrap, a ruleset or evaluations', () => {
  const { openTab } = setUp();
  const local = openTab().open({ mode: localMode(), bootstrap: rulesetOf(1) });
  expect([local.flag('greeting', ''), local.status()]).toEqual(['v1', 'cached']);
  for (const mode of [localMode(), remoteMode()]) {
    const evaluations = { greeting: resultOf('from the page') };
    const client = openTab().open({ mode, bootstrap: { evaluations } });
    expect([client.flag('greeting', ''), client.status()]).toEqual(['from the page', 'cached']);
  }
});

test('emits the flags whose result changed; equal values stay the same objects', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open({ mode: localMode() });
  const changes: (readonly string[])[] = [];
  await clock.advance(0);
  client.on('change', (keys) => void changes.push(keys));
  const list = client.flag('list', []);
  server.script(RULESET, rulesetReply(2, 'v1'));
  await clock.advance(34_000);
  expect(client.stats().rulesetVersion).toBe(2);
  expect(changes).toEqual([]);
  expect(client.flag('list', [])).toBe(list);
  server.script(RULESET, rulesetReply(3));
  await clock.advance(34_000);
  expect(changes).toEqual([['greeting']]);
  expect(client.flag('list', [])).toBe(list);
  await client.setContext({ user_key: 'u1', attributes: { name: 'u2' } });
  expect(changes).toEqual([['greeting'], ['who']]);
});

test('works in a page that has extended Object.prototype', async () => {
  const { openTab, clock, lines } = setUp();
  const seen: string[] = [];
  Object.assign(Object.prototype, { mine() {} });
  try {
    for (const mode of [localMode(), remoteMode()]) {
      const client = openTab().open({ mode });
      await clock.advance(0);
      seen.push(client.status());
    }
  } finally {
    delete (Object.prototype as { mine?: unknown }).mine;
  }
  expect([seen, lines]).toEqual([['ready', 'ready'], []]);
});

test('results stay the same objects while answers stay the same', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open();
  await clock.advance(0);
  const [list, greeting] = [client.flagDetails('list', []), client.flagDetails('greeting', '')];
  server.script(EVALUATE, evaluateReply('changed'));
  await clock.advance(34_000);
  expect(client.flagDetails('list', [])).toBe(list);
  expect(client.flagDetails('greeting', '')).not.toBe(greeting);
});

test('the page cannot change served values, nor affect the client by changing its bootstrap or context later', async () => {
  const { openTab, clock, server } = setUp();
  const evaluations = { list: resultOf([{ three: 3 }]) };
  const client = openTab().open({ bootstrap: { evaluations } });
  const change = () => {
    const details = client.flagDetails('list', [{ three: 0 }]);
    expect(() => Object.assign(details.value[0]!, { three: 4 })).toThrow(TypeError);
    expect(() => Object.assign(details, { value: [] })).toThrow(TypeError);
  };
  change();
  expect(Object.isFrozen(evaluations.list)).toBe(false);
  const list = { ...evaluations.list, rule_id: 'rule_1' };
  server.script(EVALUATE, { body: { data: { evaluations: { list } } } });
  await clock.advance(0);
  expect(client.flagDetails('list', []).rule_id).toBe('rule_1');
  change();
});

test.each<[string, unknown]>([
  ['an object without evaluations', {}],
  ['a list of evaluations', { evaluations: [] }],
  ['null', null],
])('%s never replaces good answers', async (_, data) => {
  const { openTab, clock, server, lines } = setUp();
  const client = openTab().open();
  await clock.advance(0);
  server.script(EVALUATE, { body: { data } });
  await clock.advance(34_000);
  expect([client.flag('greeting', ''), client.status()]).toEqual(['hello', 'stale']);
  expect(lines).toEqual(['flagsvc: BAD_RULESET 200']);
});

test('leaves out and reports a broken evaluation, and serves the others', async () => {
  const { openTab, clock, server, lines } = setUp();
  const evaluations = { a: resultOf('a'), b: null, c: { value: 1 }, d: 7, __proto__: resultOf('odd') };
  server.script(EVALUATE, { body: { data: { evaluations } } });
  const client = openTab().open();
  await clock.advance(0);
  expect([client.flag('a', ''), client.flag('b', 'default'), client.flag('c', 2)]).toEqual([
    'a',
    'default',
    2,
  ]);
  expect(lines).toEqual(['b', 'c', 'd'].map((key) => `flagsvc: BROKEN_FLAG ${key}`));
});

test('answers a new context at once with local evaluation, and from the server with remote evaluation', async () => {
  const { openTab, clock, server } = setUp();
  const local = openTab().open({ mode: localMode() });
  await clock.advance(0);
  const switched = local.setContext({ user_key: 'u2', attributes: { name: 'u2' } });
  expect(local.flag('who', '')).toBe('second');
  await switched;
  const remote = openTab().open();
  await clock.advance(0);
  server.script(EVALUATE, evaluateReply('hello', 500));
  const changes: (readonly string[])[] = [];
  remote.on('change', (keys) => void changes.push(keys));
  const waited = remote.setContext({ user_key: 'u2' });
  expect(remote.context()).toEqual({ user_key: 'u2' });
  await clock.advance(499);
  expect(remote.flag('me', '')).toBe('u1');
  await clock.advance(1);
  await waited;
  expect(remote.flag('me', '')).toBe('u2');
  expect(changes).toEqual([['me']]);
});

test('the last setContext wins, in whatever order the answers arrive', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open();
  await clock.advance(0);
  const settled: string[] = [];
  for (const [user_key, delayMs] of [
    ['slow', 900],
    ['fast', 100],
    ['last', 400],
  ] as const) {
    server.script(EVALUATE, evaluateReply('hello', delayMs));
    client.setContext({ user_key }).then(() => settled.push(client.flag('me', '')));
  }
  const seen = new Set<string>();
  for (let ms = 0; ms < 1500; ms += 50) {
    seen.add(client.flag('me', ''));
    await clock.advance(50);
  }
  expect([...seen]).toEqual(['u1', 'last']);
  expect(settled).toHaveLength(3);
});

test('retries a context that the server could not answer, and keeps the old values', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open();
  await clock.advance(0);
  server.script(EVALUATE, { error: new TypeError('offline') }, evaluateReply('hello'));
  await client.setContext({ user_key: 'u2' });
  expect([client.flag('me', ''), client.status()]).toEqual(['u1', 'stale']);
  await clock.advance(1100);
  expect([client.flag('me', ''), client.status()]).toEqual(['u2', 'ready']);
});

test('does not serve bootstrapped evaluations to the next user, even with local evaluation', async () => {
  const { openTab, clock, server } = setUp();
  server.script(RULESET, { ...rulesetReply(1)({ headers: {} } as never), delayMs: 200 });
  const client = openTab().open({
    mode: localMode(),
    bootstrap: { evaluations: { who: resultOf('of the first') } },
  });
  const switched = client.setContext({ user_key: 'u2', attributes: { name: 'u2' } });
  let isSettled = false;
  switched.then(() => {
    isSettled = true;
  });
  await clock.advance(150);
  expect([client.flag('who', ''), isSettled]).toEqual(['of the first', false]);
  await clock.advance(50);
  await switched;
  expect(client.flag('who', '')).toBe('second');
});

test('an exposure has the user of the answer, and a track event has the current user', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open({ mode: localMode(), bootstrap: rulesetOf(1) });
  client.flag('greeting', '');
  client.flagDetails('greeting', '', true);
  await client.setContext({ user_key: 'u2' });
  client.flag('greeting', '');
  client.track('bought', { value: 3 });
  await client.flush();
  const { events } = JSON.parse(server.requests(EVENTS)[0]!.body);
  expect(events.map(({ type, user_key }: { type: string; user_key: string }) => [type, user_key])).toEqual([
    ['exposure', 'u1'],
    ['exposure', 'u2'],
    ['track', 'u2'],
    ['summary', undefined],
  ]);
  expect(events[3].counters).toMatchObject([{ flag_key: 'greeting', count: 2, ruleset_version: 1 }]);
  expect(server.requests(EVENTS)[0]!.keepalive).toBe(true);
  await clock.advance(0);
});

test('an exposure has the user of the answer while the answers for the next user are in flight', async () => {
  const { openTab, clock, server } = setUp();
  const track_exposures = ['me', 'list'];
  server.script(EVALUATE, (request) => {
    const reply = evaluateReply('hello', 200)(request) as { body: { data: object } };
    return { ...reply, body: { data: { ...reply.body.data, track_exposures } } };
  });
  const client = openTab().open();
  await clock.advance(200);
  const switched = client.setContext({ user_key: 'u2' });
  for (const key of ['me', 'greeting']) client.flag(key, '');
  client.track('bought');
  await clock.advance(200);
  await switched;
  client.flag('me', '');
  client.flush();
  await clock.advance(0);
  const { events } = JSON.parse(server.requests(EVENTS)[0]!.body);
  const singles = events
    .slice(0, -1)
    .map((event: { type: string; user_key: string; flag_key?: string }) => [
      event.type,
      event.user_key,
      event.flag_key,
    ]);
  expect(singles).toEqual([
    ['exposure', 'u1', 'me'],
    ['track', 'u2', undefined],
    ['exposure', 'u2', 'me'],
  ]);
});

test('counts by ruleset version, even if the results are the same', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open({ mode: localMode(), flushIntervalMs: 1_000_000 });
  await clock.advance(0);
  client.flag('list', []);
  server.script(RULESET, rulesetReply(2));
  await clock.advance(34_000);
  client.flag('list', []);
  client.flush();
  await clock.advance(0);
  const [{ counters }] = JSON.parse(server.requests(EVENTS)[0]!.body).events;
  expect(counters).toMatchObject([
    { flag_key: 'list', count: 1, ruleset_version: 1 },
    { flag_key: 'list', count: 1, ruleset_version: 2 },
  ]);
});

test('a closed client keeps answering and sends no request', async () => {
  const { openTab, clock, server } = setUp();
  const client = openTab().open();
  await clock.advance(0);
  await client.close();
  const before = server.requests().length;
  await client.setContext({ user_key: 'u2' });
  await clock.advance(3_600_000);
  expect([client.flag('greeting', ''), client.status()]).toEqual(['hello', 'closed']);
  expect(server.requests()).toHaveLength(before);
  expect(clock.timers()).toBe(0);
});

test('without a document, as on a server, a client answers from the bootstrap and sends no request', async () => {
  const { openTab, clock, server } = setUp();
  const everything = [
    'document',
    'navigator',
    'localStorage',
    'BroadcastChannel',
    'addEventListener',
  ] as const;
  const client = openTab({ without: everything }).open({
    bootstrap: { evaluations: { greeting: resultOf('rendered') } },
  });
  expect(client.flag('greeting', '')).toBe('rendered');
  await clock.advance(3_600_000);
  expect(server.requests()).toHaveLength(0);
  expect(clock.timers()).toBe(0);
  await client.close();
});

test('without a document, a client that was never closed can be garbage-collected', async () => {
  const { openTab } = setUp();
  const tab = openTab({ without: ['document'] });
  const listened: string[] = [];
  // Edge runtimes, Deno and Bun have global events but no page.
  Object.assign(tab.globals, { addEventListener: (type: string) => listened.push(type) });
  tab.open();
  expect(listened).toEqual([]);
});

test('creating and reading a client uses neither random numbers nor the date, as prerendering requires', () => {
  const refused = () => {
    throw new Error('not while prerendering');
  };
  const { clock, openTab } = setUp();
  const client = createPageClient(
    {
      apiKey: 'sdk-dev-page',
      baseUrl: 'http://test',
      context: { user_key: 'u1' },
      bootstrap: { evaluations: { greeting: resultOf('rendered') } },
    },
    openTab({ without: ['document'] }).globals,
    { clock: { ...clock, now: refused }, random: refused, newController: refused },
  );
  expect(client.flagDetails('greeting', '', true).value).toBe('rendered');
  expect(client.evaluateAll()).toHaveProperty('greeting');
});

test('each client has its own instance id in events', async () => {
  const { openTab, clock, server } = setUp();
  server.script(EVENTS, { status: 202 });
  for (const tab of [openTab(), openTab()]) {
    const client = tab.open();
    for (const event of ['one', 'two']) {
      client.track(event);
      await client.flush();
    }
  }
  await clock.advance(0);
  const batches = server.requests(EVENTS).map(({ body }) => JSON.parse(body!));
  const names = new Set(batches.map(({ sdk }) => sdk.instance_id));
  expect([batches.length, names.size]).toEqual([4, 2]);
  for (const { batch_id, sdk } of batches) expect(batch_id.startsWith(`${sdk.instance_id}-`)).toBe(true);
});

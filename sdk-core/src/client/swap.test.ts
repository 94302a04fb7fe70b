import { expect, test } from 'vitest';
import type { Ruleset } from '../protocol/protocol.ts';
import { createTestFlag, createTestPorts, createTestRuleset, type ScriptedReply } from '../testing.ts';
import { createClient } from './create-client.ts';
import { createLocalSource } from './local-source.ts';
import type { Lifecycle } from './ports.ts';

const RULESET = '/sdk/ruleset';
const user = { user_key: 'u1' };
const good = (version = 1): ScriptedReply => ({
  headers: { etag: `"v${version}"` },
  body: { data: createTestRuleset({ greeting: `v${version}`, steady: true }, version) },
});
const start = (saved?: { data: unknown; tag: string | null }) => {
  const setup = createTestPorts(saved ? { saved } : {});
  return {
    ...setup,
    client: () => createClient(setup.config({ maxBodyBytes: 50_000 }), createLocalSource()).client,
  };
};

test.each<[string, ScriptedReply, string]>([
  ['HTML', { body: '<html>' }, 'NOT_DECODABLE'],
  ['an empty body', { body: '' }, 'NOT_DECODABLE'],
  ['a cut body', { body: '{"data":{"version":2,"flags":[' }, 'NOT_DECODABLE'],
  ['null', { body: 'null' }, 'BAD_RULESET'],
  ['a number', { body: '7' }, 'BAD_RULESET'],
  ['an array', { body: [] }, 'BAD_RULESET'],
  ['no data', { body: { version: 2 } }, 'BAD_RULESET'],
  ['data that is an array', { body: { data: [] } }, 'BAD_RULESET'],
  ['no flags', { body: { data: { version: 2, environment_id: 'e', segments: [] } } }, 'BAD_RULESET'],
  ['flags of another shape', { body: { data: { ...createTestRuleset([], 2), flags: {} } } }, 'BAD_RULESET'],
  [
    'only broken flags',
    { body: { data: { ...createTestRuleset([], 2), flags: [{ key: 'greeting' }] } } },
    'BAD_RULESET',
  ],
  ['too much', { body: ' '.repeat(50_001) }, 'TOO_LARGE'],
])('%s replaces neither a good ruleset nor its tag', async (_, reply, code) => {
  const { server, clock, client, cache, faults } = start();
  server.script(RULESET, good(1), { headers: { etag: '"bad"' }, ...reply });
  const flags = client();
  await clock.advance(60_000);
  expect(server.requests(RULESET).length).toBeGreaterThan(2);
  expect(server.requests(RULESET).at(-1)!.headers['if-none-match']).toBe('"v1"');
  expect(flags.flag('greeting', user, '')).toBe('v1');
  expect(flags.status()).toBe('stale');
  expect(cache.all).toHaveLength(1);
  expect(faults[0]!.code).toBe(code);
  server.script(RULESET, good(2));
  await clock.advance(300_000);
  expect(flags.status()).toBe('ready');
  expect(flags.flag('greeting', user, '')).toBe('v2');
});

test('one broken flag does not affect the others, and is reported once', async () => {
  const { server, clock, client, faults } = start();
  const data = createTestRuleset({ greeting: 'v1' });
  server.script(RULESET, { body: { data: { ...data, flags: [...data.flags, { key: 'broken' }] } } });
  const flags = client();
  await clock.advance(120_000);
  expect(flags.flag('greeting', user, '')).toBe('v1');
  expect(flags.flag('broken', user, 'default')).toBe('default');
  expect(faults).toEqual([{ code: 'BROKEN_FLAG', detail: expect.stringContaining('flags[1]') }]);
  expect(flags.status()).toBe('ready');
});

test('accepts unknown fields at every level', async () => {
  const { server, clock, client, faults } = start();
  const data = createTestRuleset([createTestFlag('greeting', 'v1', { later: { a: 1 } } as object)]);
  server.script(RULESET, { body: { data: { ...data, later: [1] }, meta: 1 } });
  const flags = client();
  await clock.advance(0);
  expect(flags.flag('greeting', user, '')).toBe('v1');
  expect(faults).toEqual([]);
});

test('accepts a version that is lower than the current one', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(9), good(2), { status: 304 });
  const flags = client();
  await clock.advance(40_000);
  expect(flags.flag('greeting', user, '')).toBe('v2');
  expect(flags.stats().rulesetVersion).toBe(2);
});

test('serves the last good ruleset through a week of failures, with the status stale', async () => {
  const { server, clock, client } = start();
  server.script(RULESET, good(1), { error: new Error('down') });
  const flags = client();
  await clock.advance(7 * 86_400_000);
  expect(flags.flag('greeting', user, '')).toBe('v1');
  expect(flags.status()).toBe('stale');
});

test('saves each fetched payload with its tag, after the swap', async () => {
  const { server, clock, client, cache } = start();
  server.script(RULESET, good(1), { status: 304 });
  client();
  await clock.advance(100_000);
  expect(cache.all).toEqual([{ data: createTestRuleset({ greeting: 'v1', steady: true }), tag: '"v1"' }]);
});

test('answers the first read from the saved payload, and fetches with its tag', async () => {
  const saved = { data: createTestRuleset({ greeting: 'old' }), tag: '"old"' };
  const { server, clock, client } = start(saved);
  server.script(RULESET, { status: 304 });
  const flags = client();
  expect(flags.flag('greeting', user, '')).toBe('old');
  expect(flags.status()).toBe('cached');
  await clock.advance(0);
  expect(server.requests(RULESET)[0]!.headers['if-none-match']).toBe('"old"');
  expect(flags.status()).toBe('ready');
});

test.each([[{}], ['text'], [{ version: 1 }], [null]])('ignores an invalid saved payload %#', async (data) => {
  const { server, clock, client, faults } = start({ data, tag: '"bad"' });
  server.script(RULESET, good(1));
  const flags = client();
  expect(flags.status()).toBe('initializing');
  expect(faults[0]).toEqual({ code: 'BAD_RULESET', detail: 'saved' });
  await clock.advance(0);
  expect(server.requests(RULESET)[0]!.headers['if-none-match']).toBeUndefined();
  expect(flags.status()).toBe('ready');
});

test('emits exactly the flags whose answer can differ', async () => {
  const { server, clock, client } = start();
  const on = (segments: Ruleset['segments'], flags: Ruleset['flags'], version: number): ScriptedReply => ({
    body: { data: { ...createTestRuleset(flags, version), segments, fetched_at: String(version) } },
  });
  const member = { attribute: '$segment', operator: 'one_of', value: ['beta'] } as const;
  const rule = { id: 'r', priority: 1, conditions: [member], variation: 'on' };
  const beta = (value: string) => ({
    id: 'seg_1',
    key: 'beta',
    conditions: [{ attribute: 'plan', operator: 'is', value } as const],
  });
  const flags = [
    createTestFlag('plain', 'a'),
    createTestFlag('segmented', true, { targeting_rules: [rule] }),
    createTestFlag('dependent', true, { prerequisites: [{ flag_key: 'segmented', variation: 'on' }] }),
    createTestFlag('twice-removed', true, { prerequisites: [{ flag_key: 'dependent', variation: 'on' }] }),
  ];
  server.script(RULESET, on([beta('x')], flags, 1), on([beta('x')], flags, 2), on([beta('y')], flags, 3), {
    ...on([beta('y')], [createTestFlag('plain', 'b'), ...flags.slice(2)], 4),
  });
  const client_ = client();
  const emitted: (readonly string[])[] = [];
  const stop = client_.on('change', (keys) => emitted.push([...keys].sort()));
  await clock.advance(0);
  expect(emitted).toEqual([['dependent', 'plain', 'segmented', 'twice-removed']]);
  await clock.advance(33_000);
  expect(emitted).toHaveLength(1);
  await clock.advance(33_000);
  expect(emitted[1]).toEqual(['dependent', 'segmented', 'twice-removed']);
  await clock.advance(33_000);
  expect(emitted[2]).toEqual(['dependent', 'plain', 'segmented', 'twice-removed']);
  stop();
  server.script(RULESET, good(9));
  await clock.advance(40_000);
  expect(emitted).toHaveLength(3);
});

test('a listener sees the new answers, and a listener that throws does not affect others', async () => {
  const { server, clock, client, faults } = start();
  server.script('/sdk/events', { status: 202 });
  server.script(RULESET, good(1), good(2));
  const flags = client();
  const seen: string[] = [];
  flags.on('change', () => {
    throw new Error('first listener');
  });
  flags.on('error', () => {
    throw new Error('second listener');
  });
  flags.on('change', () => void seen.push(flags.flag('greeting', user, '')));
  await clock.advance(40_000);
  expect(seen).toEqual(['v1', 'v2']);
  expect(faults).toEqual([{ code: 'LISTENER', detail: 'Error: first listener' }]);
  expect(flags.status()).toBe('ready');
});

test.each<[string, unknown]>([
  ['a symbol', Symbol('thrown')],
  ['an object without a prototype', Object.create(null)],
])('continues after a listener that throws %s', async (_, thrown) => {
  const { server, clock, client, faults } = start();
  server.script(RULESET, good(1), good(2));
  const flags = client();
  flags.on('change', () => {
    throw thrown;
  });
  await clock.advance(40_000);
  expect(flags.flag('greeting', user, '')).toBe('v2');
  expect(faults).toEqual([{ code: 'LISTENER', detail: '' }]);
});

test('uses a payload that did not come from a fetch', async () => {
  const { server, clock, client, handles } = start();
  server.script(RULESET, { error: new Error('down') });
  const flags = client();
  await clock.advance(0);
  expect(handles().receive({ data: createTestRuleset({ greeting: 'pushed' }), tag: '"p"' })).toBe(true);
  expect(handles().receive({ data: 'nonsense', tag: '"q"' })).toBe(false);
  expect(flags.flag('greeting', user, '')).toBe('pushed');
  expect(flags.status()).toBe('ready');
  const before = server.requests(RULESET).length;
  await clock.advance(26_000);
  expect(server.requests(RULESET)).toHaveLength(before);
  await clock.advance(8000);
  expect(server.requests(RULESET).at(-1)!.headers['if-none-match']).toBe('"p"');
});

test('a received payload with the current tag confirms the current payload; the client fetches at the deferred time', async () => {
  const { server, clock, client, handles } = start({
    data: createTestRuleset({ greeting: 'v1' }),
    tag: '"v1"',
  });
  server.script(RULESET, good(2));
  const flags = client();
  handles().defer(5000);
  expect(handles().receive({ data: undefined, tag: null })).toBe(false);
  expect(flags.status()).toBe('cached');
  expect(handles().receive({ data: undefined, tag: '"v1"' })).toBe(true);
  expect(flags.status()).toBe('ready');
  handles().defer(5000);
  await clock.advance(4999);
  expect(server.requests(RULESET)).toHaveLength(0);
  await clock.advance(1);
  expect(flags.flag('greeting', user, '')).toBe('v2');
});

test('resume starts nothing while the client closes', async () => {
  const { server, clock, client, handles } = start();
  server.script(RULESET, good());
  server.script('/sdk/events', { delayMs: 1000, status: 202 });
  const flags = client();
  await clock.advance(0);
  flags.flag('greeting', user, '');
  const closed = flags.close();
  handles().pause();
  handles().resume();
  await clock.advance(3_600_000);
  await closed;
  expect(server.requests(RULESET)).toHaveLength(1);
  expect(clock.timers()).toBe(0);
});

test('has no request and no timer while paused, and fetches once on resume if a poll is due', async () => {
  const { server, clock, client, handles } = start();
  server.script(RULESET, good(1), { status: 304 });
  client();
  await clock.advance(12_000);
  handles().pause();
  await clock.advance(3000);
  handles().resume();
  await clock.advance(1000);
  expect(server.requests(RULESET)).toHaveLength(1);
  handles().pause();
  const before = server.requests().length;
  await clock.advance(3_600_000);
  expect(server.requests()).toHaveLength(before);
  expect(clock.timers()).toBe(0);
  handles().resume();
  await clock.advance(1000);
  expect(server.requests(RULESET)).toHaveLength(2);
});

test('a lifecycle may pause the client before its first fetch, and during a fetch', async () => {
  const { server, clock, config } = createTestPorts();
  server.script(RULESET, { ...good(1), delayMs: 2000 }, { status: 304 });
  let go = () => {};
  let stop = () => {};
  const hidden: Lifecycle = ({ pause, resume }) => {
    pause();
    go = resume;
    stop = pause;
    return () => {};
  };
  const client = createClient(config({}, { connect: hidden }), createLocalSource()).client;
  await clock.advance(60_000);
  expect(server.requests()).toHaveLength(0);
  go();
  await clock.advance(1000);
  stop();
  await clock.advance(3_600_000);
  expect(client.status()).toBe('ready');
  expect(server.requests(RULESET)).toHaveLength(1);
});

// @vitest-environment jsdom
/** Overrides in a page, over a client whose flags the test sets. */
import {
  linkWithOverrides,
  mountDevtools,
  readOverrides,
  withOverrides,
} from '@flagsvc/sdk-browser/devtools';
import { createTestFlagClient } from '@flagsvc/sdk-react/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  history.replaceState({ router: 1 }, '', '/shop?page=2');
});
afterEach(() => {
  vi.restoreAllMocks();
  // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no Cookie Store API
  document.cookie = 'flagsvc-overrides=; max-age=0';
  localStorage.clear();
});

const create = (flags: Record<string, unknown> = { colour: 'red', limit: 5 }) => {
  const server = createTestFlagClient(flags);
  const client = withOverrides(server);
  const changes: string[] = [];
  client.on('change', (keys) => void changes.push(keys.join()));
  return { server, client, changes };
};

test('an override wins until it is reset, and listeners hear of both', () => {
  const { server, client, changes } = create();
  client.overrides.set('colour', 'green');
  expect(client.flag('colour', '')).toBe('green');
  expect(client.flagDetails('colour', '').variation_key).toBe('override');
  expect(client.evaluateAll()).toMatchObject({ colour: { value: 'green' }, limit: { value: 5 } });
  expect(server.flag('colour', '')).toBe('red');
  client.overrides.reset('colour');
  expect(client.flag('colour', '')).toBe('red');
  expect(changes).toEqual(['colour', 'colour']);
});

test('changes of the server are silent for an overridden flag and heard for all others', () => {
  const { server, client, changes } = create();
  client.overrides.set('colour', 'green');
  server.setFlag('colour', 'blue');
  server.setFlag('limit', 6);
  expect(changes).toEqual(['colour', 'limit']);
  client.overrides.reset();
  expect(client.flag('colour', '')).toBe('blue');
});

test('off and the returned function both end a listener', () => {
  const { client } = create();
  const heard = vi.fn();
  client.on('change', heard)();
  client.on('change', heard);
  client.off('change', heard);
  client.overrides.set('colour', 'green');
  expect(heard).not.toHaveBeenCalled();
});

test('overridden flags are not counted as use', () => {
  const { server, client } = create();
  client.overrides.set('colour', 'green');
  client.flag('colour', '');
  expect(server.stats().recorded).toBe(0);
  client.flag('limit', 0);
  expect(server.stats().recorded).toBe(1);
});

test('an override of another type serves the default value and is reported once', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { client } = create();
  client.overrides.set('limit', 'many');
  expect(client.flagDetails('limit', 7)).toMatchObject({ value: 7, variation_key: null });
  client.flag('limit', 7);
  expect(warn.mock.calls).toEqual([['flagsvc: override: TYPE_MISMATCH limit']]);
});

test('overrides survive a reload, in a cookie that the server reads', () => {
  create().client.overrides.set('colour', 'grün; "x", y');
  expect(readOverrides({ cookie: document.cookie })).toEqual({ colour: 'grün; "x", y' });
  const { client } = create();
  expect(client.flag('colour', '')).toBe('grün; "x", y');
  client.overrides.reset();
  expect(document.cookie).toBe('');
  expect(create().client.overrides.values()).toEqual({});
});

test('overrides too long for a cookie survive a reload in localStorage, and leave no older cookie', () => {
  const { client } = create();
  client.overrides.set('colour', 'green');
  const long = { text: 'x'.repeat(5000) };
  client.overrides.set('limits', long);
  expect(document.cookie).toBe('');
  expect(create().client.overrides.values()).toEqual({ colour: 'green', limits: long });
  client.overrides.reset('limits');
  expect(localStorage).toHaveLength(0);
  expect(readOverrides({ cookie: document.cookie })).toEqual({ colour: 'green' });
});

test('the address wins, is kept for the next page, and loses its parameter once overrides change', () => {
  create().client.overrides.set('colour', 'green');
  history.replaceState({ router: 1 }, '', linkWithOverrides(location.href, { limit: 9 }));
  const { client } = create();
  expect(client.overrides.values()).toEqual({ limit: 9 });
  expect(location.search).toContain('flagsvc-overrides');
  expect(readOverrides({ cookie: document.cookie })).toEqual({ limit: 9 });
  client.overrides.set('limit', 10);
  expect(location.search).toBe('?page=2');
  expect(history.state).toEqual({ router: 1 });
  expect(create().client.flag('limit', 0)).toBe(10);
});

test('a link sets the same overrides in another browser', () => {
  const { client } = create();
  client.overrides.set('colour', 'green');
  const link = client.overrides.link();
  client.overrides.reset();
  expect(readOverrides({ url: link })).toEqual({ colour: 'green' });
});

test('a JSON override keeps its identity while others change, and cannot be changed by the page', () => {
  const { client } = create();
  const given = { perDay: [1] };
  client.overrides.set('limits', given);
  given.perDay.push(2);
  const first = client.flagDetails('limits', { perDay: [0] });
  expect(first.value).toEqual({ perDay: [1] });
  client.overrides.set('colour', 'green');
  expect(client.flagDetails('limits', { perDay: [0] })).toBe(first);
  expect(() => first.value.perDay.push(3)).toThrow(TypeError);
});

test.each([undefined, () => {}, 10n, Symbol('x')])(
  '%s is refused as an override, which changes nothing',
  (value) => {
    const { client, changes } = create();
    client.overrides.set('colour', 'green');
    expect(() => client.overrides.set('colour', value)).toThrow(TypeError);
    expect(client.overrides.values()).toEqual({ colour: 'green' });
    expect(changes).toEqual(['colour']);
  },
);

test.each(['__proto__', 'constructor', 'hasOwnProperty', ''])('the key %j is an ordinary flag', (key) => {
  const { client } = create();
  expect(client.flag(key, 'none')).toBe('none');
  client.overrides.set(key, 'set');
  expect(client.flag(key, 'none')).toBe('set');
  expect(create().client.flag(key, 'none')).toBe('set');
  client.overrides.reset(key);
  expect(client.flag(key, 'none')).toBe('none');
});

test('blocked cookies and storage leave overrides in memory', () => {
  vi.spyOn(Document.prototype, 'cookie', 'get').mockImplementation(() => {
    throw new Error('SecurityError');
  });
  vi.spyOn(Document.prototype, 'cookie', 'set').mockImplementation(() => {
    throw new Error('SecurityError');
  });
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new Error('QuotaExceededError');
  });
  const { client } = create();
  client.overrides.set('colour', 'green');
  expect(client.flag('colour', '')).toBe('green');
});

test('the log names reads that differ, changes, overrides, context, track and status', async () => {
  const { server, client } = create();
  client.flag('colour', '');
  client.flag('colour', '');
  client.flag('unknown', false);
  client.overrides.set('colour', 'green');
  client.flag('colour', '');
  client.track('purchase', { value: 5 });
  await client.setContext({ user_key: 'u2' });
  server.setStatus('stale');
  server.setFlag('limit', 6);
  expect(client.overrides.log.entries().map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'read: colour is "red"',
    'read: unknown is false (the default value)',
    'override: colour serves "green"',
    'read: colour is "green"',
    'track: purchase {"value":5}',
    'context: {"user_key":"u2"}',
    'status: stale',
    'change: limit',
  ]);
  expect(server.tracked).toHaveLength(1);
  expect(server.context()).toEqual({ user_key: 'u2' });
});

test('the log keeps the last 300 entries', () => {
  const { client } = create();
  for (let at = 0; at < 400; at++) client.track(`event ${at}`);
  const entries = client.overrides.log.entries();
  expect(entries).toHaveLength(300);
  expect(entries.at(-1)!.text).toBe('event 399');
});

test('wrapping twice returns the same client, and keeps what the first client has', () => {
  const { server, client } = create();
  expect(withOverrides(client)).toBe(client);
  expect(client.bootstrap).toEqual({ evaluations: server.evaluateAll() });
  expect(client.setStatus).toBe(server.setStatus);
});

test('the panel needs a wrapped client and a valid shortcut', () => {
  const { server, client } = create();
  expect(() => mountDevtools(server as never)).toThrow(
    'mountDevtools needs the client that withOverrides returned',
  );
  for (const shortcut of ['F', 'Alt+', 'Alt+F1', 'Hyper+F', ''])
    expect(() => mountDevtools(client, { shortcut })).toThrow('must be like Alt+Shift+F');
});

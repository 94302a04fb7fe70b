/** The entry point for apps, in Node; `hermes.test.ts` runs it in the engine of React Native. */
import { createAppClient, openStorage } from '@flagsvc/sdk-browser/react-native';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFakeAppState, createFakeAsyncStorage } from './hermes/fake-app.ts';

const result = (value: string) => ({ value, reason: 'DEFAULT', rule_id: null, variation_key: 'v' });

/** A server for one app; counts its requests by path. */
const createServer = () => {
  const requests: string[] = [];
  const fetch = async (url: unknown) => {
    requests.push(`${url}`.replace('http://test', ''));
    return new Response(JSON.stringify({ data: { evaluations: { greeting: result('hello') } } }));
  };
  return { requests, fetch: fetch as typeof globalThis.fetch };
};
type Parts = Parameters<typeof createAppClient>[1];
const open = (parts: Parts, fetch: typeof globalThis.fetch) => {
  const client = createAppClient(
    { apiKey: 'sdk-1', baseUrl: 'http://test', context: { user_key: 'u1' }, pollIntervalMs: 40, fetch },
    parts,
  );
  onTestFinished(() => client.close({ timeoutMs: 0 }));
  return client;
};
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.each(['active', 'inactive', 'unknown', null])('an app whose state is %s fetches', async (state) => {
  const { fetch } = createServer();
  const client = open({ appState: createFakeAppState(state) }, fetch);
  expect(await client.ready()).toBe('ready');
  expect(client.flag('greeting', '')).toBe('hello');
});

test('in the background there are no requests, and events have been sent', async () => {
  const { fetch, requests } = createServer();
  const appState = createFakeAppState('active');
  const client = open({ appState }, fetch);
  await client.ready();
  client.flag('greeting', '');
  appState.become('inactive');
  await wait(100);
  expect(requests.filter((path) => path === '/evaluate').length).toBeGreaterThan(1);
  appState.become('background');
  await vi.waitFor(() => expect(requests.at(-1)).toBe('/sdk/events'));
  const before = requests.length;
  await wait(150);
  expect(requests).toHaveLength(before);
  appState.become('active');
  await vi.waitFor(() => expect(requests.length).toBeGreaterThan(before));
});

test('an app that starts in the background waits, and a closed client listens no more', async () => {
  const { fetch, requests } = createServer();
  const appState = createFakeAppState('background');
  const client = open({ appState }, fetch);
  await wait(60);
  expect(requests).toEqual([]);
  appState.become('active');
  expect(await client.ready()).toBe('ready');
  await client.close({ timeoutMs: 0 });
  expect(appState.listeners()).toBe(0);
});

test('the next start answers from asynchronous storage, and another user does not', async () => {
  const disk = createFakeAsyncStorage();
  const { fetch } = createServer();
  const first = open({ appState: createFakeAppState('active'), storage: await openStorage(disk) }, fetch);
  await first.ready();
  await vi.waitFor(() => expect(disk.names()).toHaveLength(1));
  const never = () => new Promise<Response>(() => {});
  const parts = { appState: createFakeAppState('active'), storage: await openStorage(disk) };
  expect(open(parts, never).flag('greeting', '')).toBe('hello');
  const other = createAppClient(
    { apiKey: 'sdk-1', baseUrl: 'http://test', context: { user_key: 'u2' }, fetch: never },
    parts,
  );
  onTestFinished(() => other.close({ timeoutMs: 0 }));
  expect(other.flag('greeting', 'default')).toBe('default');
});

test('writes reach asynchronous storage in order, and a failed one stops nothing', async () => {
  const disk = createFakeAsyncStorage();
  await disk.setItem('of-the-app', 'kept');
  let fails = 1;
  const slow = {
    ...disk,
    setItem: async (name: string, text: string) => {
      await wait(text === 'a' ? 20 : 0);
      if (fails-- === 2) throw new Error('full');
      return disk.setItem(name, text);
    },
  };
  const storage = await openStorage(slow);
  expect(storage.getItem('of-the-app')).toBeNull();
  storage.setItem('flagsvc-1', 'a');
  storage.setItem('flagsvc-1', 'b');
  expect(storage.getItem('flagsvc-1')).toBe('b');
  await vi.waitFor(() => expect(disk.entries.get('flagsvc-1')).toBe('b'));
  fails = 2;
  storage.setItem('flagsvc-1', 'c');
  storage.removeItem('flagsvc-1');
  await vi.waitFor(() => expect(disk.names()).toEqual(['of-the-app']));
});

test('storage that cannot be read is like none', async () => {
  const broken = { ...createFakeAsyncStorage(), getAllKeys: () => Promise.reject(new Error('corrupt')) };
  const storage = await openStorage(broken);
  expect(storage.getItem('flagsvc-1')).toBeNull();
  storage.setItem('flagsvc-1', 'a');
  expect(storage.getItem('flagsvc-1')).toBe('a');
});

test('wrong parts are refused with their remedy', () => {
  const options = { apiKey: 'sdk-1', baseUrl: 'http://test', context: { user_key: 'u1' } };
  const appState = createFakeAppState('active');
  expect(() => createAppClient(options, {} as never)).toThrow('appState must be AppState of react-native');
  expect(() => createAppClient(options, undefined as never)).toThrow(TypeError);
  const storage = { getItem: () => null, setItem() {} } as never;
  expect(() => createAppClient(options, { appState, storage })).toThrow('storage lacks removeItem');
});

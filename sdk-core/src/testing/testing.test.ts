import { expect, test } from 'vitest';
import {
  createScriptedFetch,
  createSeededRandom,
  createSimulatedClock,
  createTestClient,
  createTestController,
  createTestRuleset,
} from '../testing.ts';

test('the simulated clock fires due timers in order, including those that they set', async () => {
  const clock = createSimulatedClock(1000);
  const seen: string[] = [];
  clock.setTimer(() => seen.push(`late ${clock.monotonic()}`), 30);
  const gone = clock.setTimer(() => seen.push('gone'), 5);
  clock.setTimer(async () => {
    seen.push(`early ${clock.now()}`);
    await Promise.resolve();
    clock.setTimer(() => seen.push(`begun ${clock.monotonic()}`), 10);
  }, 10);
  clock.clearTimer(gone);
  await clock.advance(29);
  expect(seen).toEqual(['early 1010', 'begun 20']);
  await clock.advance(1);
  expect(seen).toEqual(['early 1010', 'begun 20', 'late 30']);
  clock.jump(-500);
  expect([clock.now(), clock.monotonic(), clock.timers()]).toEqual([530, 30, 0]);
});

test('sleep fires overdue timers once, at its end', async () => {
  const clock = createSimulatedClock();
  const seen: number[] = [];
  const again = () => {
    seen.push(clock.monotonic());
    clock.setTimer(again, 10);
  };
  clock.setTimer(again, 10);
  await clock.sleep(1000);
  expect(seen).toEqual([1000]);
});

test('the scripted fetch replies in order, repeats the last reply, and obeys its signal', async () => {
  const clock = createSimulatedClock();
  const { fetch, script, requests } = createScriptedFetch(clock);
  script('/a', { status: 500 }, { body: { x: 1 }, headers: { ETag: '"1"' } });
  const controller = createTestController();
  const ask = () =>
    fetch('http://test/a', {
      method: 'GET',
      headers: {},
      body: undefined,
      redirect: 'manual',
      keepalive: false,
      signal: controller.signal,
    });
  expect((await ask()).status).toBe(500);
  expect(await (await ask()).text()).toBe('{"x":1}');
  expect((await ask()).headers.get('etag')).toBe('"1"');
  script('/a', { delayMs: Number.POSITIVE_INFINITY });
  const hanging = ask();
  const caught = hanging.catch((error: Error) => error.message);
  controller.abort();
  expect(await caught).toBe('aborted');
  expect(requests('/a')).toHaveLength(4);
});

test('the same seed gives the same random numbers, which are uniform', () => {
  const [one, two] = [createSeededRandom(5), createSeededRandom(5)];
  let sum = 0;
  for (let i = 0; i < 10_000; i++) {
    const value = one();
    expect(value).toBe(two());
    sum += value;
  }
  expect(sum / 10_000).toBeCloseTo(0.5, 1);
});

test('a test client serves the values that were set, and calls its listeners', async () => {
  const client = createTestClient({ 'new-checkout': true });
  const received: unknown[] = [];
  client.on('change', (keys) => received.push(keys));
  client.on('status', (status) => received.push(status));
  expect(client.flag('new-checkout', {}, false)).toBe(true);
  expect(client.flag('new-checkout', {}, 'text')).toBe('text');
  expect(client.flag('other', {}, 5)).toBe(5);
  client.setFlag('other', 7);
  expect(client.flag('other', {}, 5)).toBe(7);
  expect(client.flagDetails('other', {}, 5)).toMatchObject({ value: 7, variation_key: 'test' });
  client.removeFlag('other');
  expect(client.flag('other', {}, 5)).toBe(5);
  client.track('bought', { user_key: 'u' }, { value: 3 });
  expect(client.tracked).toEqual([{ eventName: 'bought', context: { user_key: 'u' }, data: { value: 3 } }]);
  expect(await client.ready()).toBe('ready');
  client.setStatus('stale');
  await client.close();
  expect(received).toEqual([['other'], ['other'], 'stale', 'closed']);
  expect(client.status()).toBe('closed');
});

test('a test ruleset has the wire format', () => {
  expect(createTestRuleset({ a: true, b: 'x' }, 3)).toMatchObject({
    version: 3,
    flags: [
      { key: 'a', flag_type: 'boolean', default_variation: 'on' },
      { key: 'b', flag_type: 'string', variations: [{ key: 'only', value: 'x' }] },
    ],
  });
});

test('a test client has the documented API of a server client and its own four members', () => {
  const client = createTestClient({ colour: 'red' });
  expect(Object.getOwnPropertyNames(client).sort()).toEqual([
    ...[
      'bootstrap',
      'close',
      'evaluateAll',
      'flag',
      'flagDetails',
      'flush',
      'off',
      'on',
      'ready',
      'removeFlag',
    ],
    ...['ruleset', 'setFlag', 'setStatus', 'stats', 'status', 'track', 'tracked'],
  ]);
  expect(Object.getPrototypeOf(client)).toBe(Object.prototype);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { nodeCommand } from '../../test/helpers.ts';
import { dialCommand } from '../adapter/carriers.ts';
import type { Hello } from '../adapter/messages.ts';
import { createSession, type Session } from '../adapter/session.ts';
import { suiteDirectory } from '../suite/suite.ts';
import { type LoadedScenario, loadScenarios } from './load.ts';
import { runScenario } from './run-scenario.ts';
import type { ClientConfig } from './types.ts';

const { scenarios } = loadScenarios(suiteDirectory());
const options = { scale: 0.02 };
let session: Session;
let hello: Hello;
beforeAll(async () => {
  session = createSession(dialCommand(nodeCommand('adapters/sdk-node.mjs')));
  hello = await session.hello();
});
afterAll(() => session.close());

// One scenario of each family, without those that take seconds. `flagsvc-conformance run` runs all of them.
const sample = scenarios.filter(({ id, long }) => !long && !/\.([2-9]|\d\d)$|^LIFE-11|^POLL-11/.test(id));
test.each(sample)('sdk-node: $id $title', { timeout: 30_000 }, async (scenario) => {
  const { outcome, problems, reason, log } = await runScenario({ session, hello }, scenario, options);
  expect({ outcome, problems, reason, log: outcome === 'pass' ? undefined : log }).toMatchObject({
    outcome: scenario.needs?.some((name) => !hello.capabilities.includes(name)) ? 'skip' : 'pass',
  });
});

test('runs scenarios in scaled time when the adapter has no virtual clock', { timeout: 60_000 }, async () => {
  const without = { ...hello, capabilities: hello.capabilities.filter((name) => name !== 'clock') };
  // INIT-19 and INIT-20 wait for a condition; in ERR-06.3 the client needs longer than scaled time allows.
  for (const chosen of ['POLL-03', 'INIT-19', 'INIT-20', 'ERR-06.3']) {
    const scenario = scenarios.find(({ id }) => id === chosen)!;
    const { id, outcome, problems } = await runScenario({ session, hello: without }, scenario, options);
    expect({ id, outcome, problems }).toMatchObject({ outcome: 'pass' });
  }
  const virtual = scenarios.find(({ clock }) => clock === 'virtual')!;
  expect(await runScenario({ session, hello: without }, virtual, options)).toMatchObject({
    outcome: 'skip',
    reason: 'the adapter has no virtual clock',
  });
});

test('reports missing extras and declared limits of the platform as inapplicable, and other gaps as skipped', async () => {
  const page = { ...hello, capabilities: ['polling'], inapplicable: { process: 'a page has none' } };
  const needing = (...needs: string[]) => runScenario({ session, hello: page }, own([], { needs }), options);
  expect(await needing('process')).toMatchObject({ outcome: 'inapplicable', reason: 'a page has none' });
  expect(await needing('gzip')).toMatchObject({
    outcome: 'inapplicable',
    reason: expect.stringContaining('is an extra'),
  });
  expect(await needing('events', 'process')).toMatchObject({ outcome: 'skip' });
  expect(await needing('memory')).toMatchObject({ outcome: 'skip' });
});

test('repeats a scenario, more slowly, only if it failed in scaled time', async () => {
  const without = { ...hello, capabilities: hello.capabilities.filter((name) => name !== 'clock') };
  const intervals: unknown[] = [];
  const listening: Session = {
    ...session,
    ask(request, limitMs) {
      if (request.cmd === 'client.create') intervals.push((request['config'] as ClientConfig).pollIntervalMs);
      return session.ask(request, limitMs);
    },
  };
  const wrong = own([create, { status: true, expect: { status: 'never' } }]);
  expect(await runScenario({ session: listening, hello: without }, wrong, options)).toMatchObject({
    outcome: 'fail',
  });
  expect(intervals).toEqual([600, 3_000]);
  expect(await runScenario({ session: listening, hello }, wrong, options)).toMatchObject({ outcome: 'fail' });
  expect(await runScenario({ session: listening, hello: without }, own([create]), options)).toMatchObject({
    outcome: 'pass',
  });
  expect(intervals).toHaveLength(4);
});

const own = (steps: LoadedScenario['steps'], more: Partial<LoadedScenario> = {}): LoadedScenario => ({
  id: 'X-01',
  group: 'sdk/X',
  title: 'x',
  level: 'decided',
  requirements: [],
  steps,
  ...more,
});
const ruleset = { queue: 'ruleset' as const, replies: [{ etag: '"a"', body: { flags: { f: 'v1' } } }] };
const create = { create: 'c1' };

test.each<[string, LoadedScenario['steps'], RegExp]>([
  ['a value', [ruleset, create, { evaluate: 'f', gives: 'v2' }], /value is "v1", not "v2"/],
  ['a header', [ruleset, create, { see: 'ruleset', headers: { 'if-none-match': '"a"' } }], /if-none-match/],
  [
    'an unexpected header',
    [ruleset, create, { see: 'ruleset', headers: { 'x-api-key': null } }],
    /x-api-key is sent/,
  ],
  ['a missing request', [ruleset, create, { see: 'ruleset' }, { see: 'ruleset' }], /no request to ruleset/],
  [
    'an early request',
    [ruleset, create, { see: 'ruleset' }, { next: 'ruleset', afterMs: [50_000, 60_000] }],
    /after \d+ ms, not between/,
  ],
  [
    'a late request',
    [ruleset, create, { see: 'ruleset' }, { next: 'ruleset', afterMs: [0, 10_000] }],
    /no request to ruleset between/,
  ],
  [
    'an unexpected request',
    [ruleset, create, { see: 'ruleset' }, { quiet: 'ruleset', forMs: 60_000 }],
    /a request to ruleset at/,
  ],
  ['a status', [ruleset, create, { status: true, expect: { status: 'stale' } }], /status is "ready"/],
  [
    'too many requests',
    [ruleset, create, { advance: 200_000 }, { count: 'ruleset', max: 3 }],
    /\d requests to ruleset/,
  ],
  [
    'a call that should still be running',
    [ruleset, create, { start: 'ready' }, { running: 'ready' }],
    /ready has ended already/,
  ],
])('notices %s', async (_name, steps, words) => {
  const { outcome, problems } = await runScenario({ session, hello }, own(steps), options);
  expect(outcome).toBe('fail');
  expect(problems[0]?.message).toMatch(words);
});

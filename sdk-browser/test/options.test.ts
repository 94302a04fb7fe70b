import { type BrowserClientOptions, createBrowserClient } from '@flagsvc/sdk-browser';
import { expect, test, vi } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { VERSION } from '../src/client/version.ts';
import { EVALUATE, evaluateReply } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const good = { apiKey: 'sdk-dev-page', baseUrl: 'http://test/api/v1', context: { user_key: 'u1' } };
const cycle: { self?: unknown } = {};
cycle.self = cycle;

test.each<[string, unknown, string]>([
  ['no options', undefined, 'option apiKey must be an SDK key'],
  ['no key', { ...good, apiKey: '' }, 'option apiKey must be an SDK key'],
  [
    'no address',
    { ...good, baseUrl: 'flags.example.com' },
    'option baseUrl must be like https://host/api/v1',
  ],
  ['no context', { ...good, context: undefined }, 'option context must be like { user_key: "u1"'],
  ['no user key', { ...good, context: { attributes: {} } }, 'option context must be like { user_key'],
  ['a context with a cycle', { ...good, context: { user_key: 'u', cycle } }, 'option context must be like'],
  ['a mode by name', { ...good, mode: 'local' }, 'option mode must be remoteMode() or localMode()'],
  [
    'a controller as signal',
    { ...good, signal: new AbortController() },
    'option signal must be an AbortSignal',
  ],
  ['a console as logger', { ...good, logger: console }, 'option logger must be a function'],
  ['a number as fetch', { ...good, fetch: 5 }, 'option fetch must be a function'],
  ['an unknown option', { ...good, polling: true }, 'option polling is unknown; use one of apiKey,baseUrl'],
  [
    'an interval of 0',
    { ...good, pollIntervalMs: 0 },
    'option pollIntervalMs must be a number such as 30000',
  ],
])('refuses %s, naming the remedy', (_, options, message) => {
  expect(() => createBrowserClient(options as BrowserClientOptions)).toThrow(message);
});

test('refuses an invalid new context, which changes nothing', async () => {
  const { openTab, server, clock } = createFakeBrowser();
  server.script(EVALUATE, evaluateReply('hello'));
  const client = openTab().open();
  await clock.advance(0);
  await expect(client.setContext({ user_key: 7 } as never)).rejects.toThrow('option context must be like');
  expect(client.context()).toEqual({ user_key: 'u1' });
});

test('later changes of the context object have no effect', async () => {
  const { openTab, server, clock } = createFakeBrowser();
  server.script(EVALUATE, evaluateReply('hello'));
  const context = { user_key: 'u1' };
  const client = openTab().open({ context });
  context.user_key = 'changed';
  await clock.advance(0);
  expect(client.flag('me', '')).toBe('u1');
});

test('reports a server key in a page once', async () => {
  const { openTab, server, clock, lines } = createFakeBrowser();
  server.script(EVALUATE, (request) => ({
    ...evaluateReply('hello')(request),
    headers: { 'X-FlagSvc-Warnings': 'server-key' },
  }));
  const client = openTab().open();
  await clock.advance(120_000);
  expect(client.flag('greeting', '')).toBe('hello');
  expect(lines).toEqual(['flagsvc: SERVER_KEY use a client key']);
});

test('survives a logger that throws', async () => {
  const { openTab, server, clock } = createFakeBrowser();
  server.script(EVALUATE, (request) => ({
    ...evaluateReply('hello')(request),
    headers: { 'X-FlagSvc-Warnings': 'server-key' },
  }));
  const logger = () => {
    throw new Error('of the page');
  };
  const client = openTab().open({ logger });
  await clock.advance(0);
  expect([client.flag('greeting', ''), client.status()]).toEqual(['hello', 'ready']);
});

test('logs faults to the console, to the given logger, or not at all', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { openTab, clock, lines } = createFakeBrowser();
  openTab().open({ logger: undefined });
  openTab().open({ logger: false, apiKey: 'sdk-dev-other' });
  await clock.advance(0);
  expect(warn.mock.calls).toEqual([
    ['flagsvc: there is no API at this address; check that baseUrl ends in /api/v1 [HTTP_STATUS: 404]'],
  ]);
  expect(lines).toEqual([]);
  warn.mockRestore();
});

test('events contain the version of the package', () => {
  expect(VERSION).toBe(manifest.version);
});

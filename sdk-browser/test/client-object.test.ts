/** The members of a page client at run time. */
import { localMode, remoteMode } from '@flagsvc/sdk-browser';
import { expect, test } from 'vitest';
import { createFakeBrowser } from './fake-page.ts';

const DOCUMENTED = [
  'bootstrap',
  'close',
  'context',
  'evaluateAll',
  'flag',
  'flagDetails',
  'flush',
  'off',
  'on',
  'ready',
  'ruleset',
  'setContext',
  'stats',
  'status',
  'track',
];

test.each([
  ['remote', remoteMode],
  ['local', localMode],
])('a client with %s evaluation has its documented API and no other member', async (_, mode) => {
  const client = createFakeBrowser().openTab().open({ mode: mode() });
  expect(Object.getOwnPropertyNames(client).sort()).toEqual(DOCUMENTED);
  expect(Object.getOwnPropertySymbols(client)).toEqual([]);
  expect(Object.getPrototypeOf(client)).toBe(Object.prototype);
  await client.close({ timeoutMs: 0 });
});

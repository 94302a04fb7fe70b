/** What a page pays for the hooks, and for all of it; React never counts. */
import { test } from 'vitest';
import { bundle, expectWithin } from '../../scripts/weight.ts';

const bytesOf = async (contents: string): Promise<number> =>
  (await bundle(contents, import.meta.dirname, { external: ['react'] })).bytes;
const REACT = "export * from '@flagsvc/sdk-react';";
const CLIENT = "export { createBrowserClient, localMode } from '@flagsvc/sdk-browser';";

test('all hooks together stay within 700 bytes', async () => {
  expectWithin('sdk-react, all hooks (stretch 520)', await bytesOf(REACT), { goal: 700, ceiling: 700 });
});

// The client has its own ceiling in sdk-browser; this one holds what React adds to it.
test('a React app, all in, evaluating in the page, pays no more than the client and 700 bytes', async () => {
  const [all, client] = [await bytesOf(REACT + CLIENT), await bytesOf(CLIENT)];
  expectWithin(`a React app, all in, local (${client} of it the client)`, all, {
    goal: 6_700,
    ceiling: client + 700,
  });
});

/** The size of the hooks, and of an app that uses them, without React. */
import { test } from 'vitest';
import { bundle, expectWithin } from '../../scripts/weight.ts';

const HOOKS = "export * from '@flagsvc/sdk-react';";
const appOf = (mode: string) =>
  `${HOOKS} export { createBrowserClient, ${mode} } from '@flagsvc/sdk-browser';`;

test.each([
  { name: 'sdk-react, all hooks', contents: HOOKS, gate: 900 },
  { name: 'a React app, remote evaluation', contents: appOf('remoteMode'), gate: 7_210 },
  { name: 'a React app, local evaluation', contents: appOf('localMode'), gate: 12_220 },
])('$name stays within its limit of bytes', async ({ name, contents, gate }) => {
  const { bytes } = await bundle(contents, import.meta.dirname, { external: ['react'] });
  expectWithin(name, bytes, gate);
});

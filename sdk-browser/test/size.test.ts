/** The size of the client in a page. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle, expectWithin } from '../../scripts/weight.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const pageOf = (mode: string) => `export { createBrowserClient, ${mode} } from '@flagsvc/sdk-browser';`;
const STREAM = `export { streaming } from '@flagsvc/sdk-browser/streaming';`;
const OVERRIDES = `export { withOverrides } from '@flagsvc/sdk-browser/devtools';`;

test.each([
  { name: 'remote evaluation', contents: pageOf('remoteMode'), gate: 6_570 },
  { name: 'local evaluation', contents: pageOf('localMode'), gate: 11_580 },
  { name: 'remote evaluation with its stream', contents: pageOf('remoteMode') + STREAM, gate: 8_900 },
  { name: 'overrides and panel', contents: `export * from '@flagsvc/sdk-browser/devtools';`, gate: 12_000 },
  { name: 'overrides alone', contents: OVERRIDES, gate: 2_100 },
])('$name stays within its limit of bytes', async ({ name, contents, gate }) => {
  const { bytes } = await bundle(contents, folder);
  expectWithin(`sdk-browser, ${name}`, bytes, gate);
});

test('a page with remote evaluation contains no evaluator and no stream, and no page contains a library', async () => {
  const remote = await bundle(pageOf('remoteMode'), folder);
  expect(
    remote.inputs.filter((file) =>
      /\/evaluator\/(?!not-found)|local-source|changed-flags|\/stream|eventsource|openfeature/.test(file),
    ),
  ).toEqual([]);
  const all = await bundle(`export * from '@flagsvc/sdk-browser'`, folder);
  expect(all.inputs.filter((file) => !/^(\.\.\/sdk-core\/)?src\/|<stdin>/.test(file))).toEqual([]);
});

test('a production bundle logs codes, and every other bundle logs words', async () => {
  const words = 'the server refuses the API key';
  const production = await bundle(pageOf('remoteMode'), folder);
  expect(production.text).not.toContain(words);
  const development = await bundle(pageOf('remoteMode'), folder, {
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  expect(development.text).toContain(words);
});

test('a production bundle contains overrides or the panel only where a page asks for them', async () => {
  const page = `
    import { createBrowserClient } from '@flagsvc/sdk-browser';
    import { mountDevtools, withOverrides } from '@flagsvc/sdk-browser/devtools';
    const create = () => createBrowserClient({});
    export const client = DEVELOPING ? withOverrides(create()) : create();
    if (DEVELOPING) mountDevtools(client);`;
  const inputsOf = async (contents: string, isDeveloping = false) => {
    const { inputs } = await bundle(contents, folder, { define: { DEVELOPING: String(isDeveloping) } });
    return inputs.filter((file) => file.includes('devtools'));
  };
  expect(await inputsOf(page)).toEqual([]);
  expect(await inputsOf(page, true)).toContain('src/devtools/panel/flag-list.ts');
  expect((await inputsOf(OVERRIDES)).filter((file) => file.includes('/panel/'))).toEqual([]);
});

test('a bundle contains no helper that defines properties, which throws on a polluted Object.prototype', async () => {
  for (const contents of [pageOf('remoteMode'), pageOf('localMode'), pageOf('remoteMode') + STREAM]) {
    const { text } = await bundle(contents, folder);
    expect(text.match(/.{0,40}defineProperty.{0,40}/)?.[0]).toBeUndefined();
  }
});

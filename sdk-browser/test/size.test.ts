/** What a page pays for the client. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundle, expectWithin } from '../../scripts/weight.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

test.each([
  { name: 'remote evaluation', names: 'createBrowserClient, remoteMode', goal: 3300, ceiling: 6022 },
  { name: 'local evaluation', names: 'createBrowserClient, localMode', goal: 6000, ceiling: 10898 },
  {
    name: 'remote evaluation with its stream',
    names: 'createBrowserClient, remoteMode',
    more: `export * from '@flagsvc/sdk-browser/streaming';`,
    goal: 3300,
    ceiling: 8775,
  },
])('$name stays within its bytes', async ({ name, names, more = '', ...limits }) => {
  const { bytes } = await bundle(`${more} export { ${names} } from '@flagsvc/sdk-browser'`, folder);
  expectWithin(`sdk-browser, ${name}`, bytes, limits);
});

test('a page that evaluates remotely carries no evaluator and no stream, and no page carries ky, MessagePack or Node', async () => {
  const remote = await bundle(
    `export { createBrowserClient, remoteMode } from '@flagsvc/sdk-browser'`,
    folder,
  );
  expect(
    remote.inputs.filter((file) =>
      /evaluator|pattern|automaton|conditions|program|ruleset\.ts|semver|bucket|local-source|changed-flags|\/stream|eventsource|openfeature/.test(
        file,
      ),
    ),
  ).toEqual([]);
  const all = await bundle(`export * from '@flagsvc/sdk-browser'`, folder);
  expect(all.inputs.filter((file) => !/^(\.\.\/sdk-core\/)?src\/|<stdin>/.test(file))).toEqual([]);
});

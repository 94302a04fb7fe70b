/** One-file bundles in realms whose built-ins the host page has patched; the client must behave as without patches. */
import { fileURLToPath } from 'node:url';
import { constants, createContext, runInContext } from 'node:vm';
import type { BrowserClient } from '@flagsvc/sdk-browser';
import { createSeededRandom } from '@flagsvc/sdk-core/testing';
import { beforeAll, expect, test } from 'vitest';
import { bundle } from '../../scripts/weight.ts';
import { EVALUATE, EVENTS, resultOf, rulesetOf } from './answers.ts';
import { createFakeBrowser } from './fake-page.ts';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const MODES = ['remoteMode', 'localMode'] as const;
type Mode = (typeof MODES)[number];

/** Patches of built-ins as seen in real pages, and worse. */
const PATCHES: Readonly<Record<string, string>> = {
  'junk on Object.prototype that property descriptors inherit': `
    Object.assign(Object.prototype, { get: 1, set: 1, value: 1, writable: 0, enumerable: 0, configurable: 0 });`,
  'functions on Object.prototype, enumerable': `
    for (const name of ['each', 'extend', 'size', 'count', 'clone', 'watch', 'contains', 'event', 'detail'])
      Object.prototype[name] = function () { return this; };`,
  'setters on Object.prototype that throw': `
    for (const name of ['count', 'data', 'tag', 'at', 'owner', 'events', 'user_key', 'value', 'version', 'greeting'])
      Object.defineProperty(Object.prototype, name, { __proto__: null, set() { throw new Error(name); }, configurable: true });`,
  'Array.prototype.toJSON of an old Prototype.js': `
    Array.prototype.toJSON = function () { return '[' + this.map((item) => JSON.stringify(item)).join(', ') + ']'; };`,
  'an Array.prototype.toJSON that returns the same for every array': `Array.prototype.toJSON = () => [];`,
  'Object.prototype.toJSON': `Object.prototype.toJSON = function () { return 'an object'; };`,
  'toJSON on texts, numbers and booleans': `
    for (const { prototype } of [String, Number, Boolean]) prototype.toJSON = function () { return 'a ' + typeof this; };`,
  'a Date.prototype.toJSON that adds quotes': `
    Date.prototype.toJSON = function () { return '"' + this.toISOString() + '"'; };`,
  'additions to collections': `
    for (const { prototype } of [Map, Set]) {
      prototype.toJSON = function () { return [...this]; };
      prototype.contains = prototype.has;
    }`,
  'an Array.from that takes neither iterables nor a function': `
    Array.from = (list) => (list ? Array.prototype.slice.call(list) : []);`,
  'enumerable additions to Array.prototype': `
    for (const name of ['last', 'clone', 'remove', 'each']) Array.prototype[name] = function () { return this; };`,
  'frozen prototypes': `
    for (const { prototype } of [Object, Array, Map, Set, Promise, Date, String]) Object.freeze(prototype);`,
};

const bundles = new Map<Mode, string>();
beforeAll(async () => {
  for (const mode of MODES) {
    const contents = `
      import { createBrowserClient, ${mode} as mode } from '@flagsvc/sdk-browser';
      import { streaming } from '@flagsvc/sdk-browser/streaming';
      globalThis.sdk = { createBrowserClient, mode, streaming };`;
    bundles.set(mode, (await bundle(contents, PACKAGE, { format: 'iife' })).text);
  }
});

/** Runs a visit in its own realm. Returns all that the server, storage, other tabs and the page see of it. */
const visit = async (mode: Mode, patch: string) => {
  const { clock, server, storage, messages, openTab } = createFakeBrowser();
  const { globals, hide } = openTab();
  let version = 1;
  const evaluations = () => ({ list: resultOf([version, { of: [version] }]), greeting: resultOf('hello') });
  server.script(EVALUATE, () => ({
    body: { data: { evaluations: evaluations(), track_exposures: ['greeting'] } },
  }));
  const flags = () =>
    rulesetOf(version, 'hello').flags.map((flag) =>
      flag.key === 'list'
        ? { ...flag, variations: [{ key: 'only', value: [version, { of: [version] }] }] }
        : flag,
    );
  server.script('/sdk/ruleset', () => ({
    headers: { etag: `"${version}"` },
    body: { data: { ...rulesetOf(version), flags: flags() } },
  }));
  server.script(EVENTS, { status: 202 });
  const printed: string[] = [];
  // Uses an ordinary global object, because some of these patches break a proxied one.
  const realm = createContext(constants.DONT_CONTEXTIFY);
  Object.assign(realm, {
    ...globals,
    AbortController,
    Blob,
    TextDecoder,
    performance: { now: clock.monotonic },
    setTimeout: clock.setTimer,
    clearTimeout: clock.clearTimer,
    print: (text: string) => void printed.push(text),
    now: clock.now,
    random: createSeededRandom(1),
  });
  runInContext('Date.now = now; Math.random = random;', realm);
  runInContext(patch, realm);
  runInContext(bundles.get(mode)!, realm);
  const client = runInContext(
    `const client = sdk.createBrowserClient({
      apiKey: 'sdk-dev-page',
      baseUrl: 'http://test',
      mode: sdk.mode(),
      streaming: sdk.streaming,
      context: { user_key: 'u1', attributes: { name: 'u2', tags: ['a', 'b'], since: new Date(0), plan: { ends: [1] } } },
      logger: ({ code, detail }) => print('fault ' + code + detail),
    });
    client.on('change', (keys) => print('changed ' + keys.join()));
    client;`,
    realm,
  ) as BrowserClient;
  const read = () =>
    runInContext(
      `print(client.flag('greeting', '') + client.flag('list', []).length + client.flag('list', [])[0]);`,
      realm,
    );
  await clock.advance(0);
  read();
  runInContext(
    `client.track('bought', { value: 3, properties: { items: ['x', ['y']], on: new Date(1), for: { whom: 'me' } } });`,
    realm,
  );
  version = 2;
  await clock.advance(34_000);
  read();
  await client.setContext(runInContext(`({ user_key: 'u2', attributes: { tags: [['c']] } })`, realm));
  read();
  hide();
  await clock.advance(1_000);
  const stats = client.stats();
  // A copy with objects of this realm.
  return structuredClone({
    requests: server
      .requests()
      .map(({ path, headers, body }) => ({ path, headers, body: body && JSON.parse(body) })),
    stored: [...storage.entries].map(([name, text]) => [name, JSON.parse(text)]),
    messages,
    printed,
    stats,
  });
};

test.each(MODES)(
  'a visit without patches fetches, polls, changes flags and sends events: %s',
  async (mode) => {
    const { requests, printed, stats, stored, messages } = await visit(mode, '');
    const bodies = requests.map(({ body }: { body: unknown }) => JSON.stringify(body));
    expect(printed).toEqual(expect.arrayContaining(['hello21', 'changed list', 'hello22']));
    expect(printed.filter((line: string) => line.startsWith('fault'))).toEqual([]);
    expect(stats).toMatchObject({ recorded: 12, delivered: 12 });
    expect([stored.length, messages.length > 0]).toEqual([1, true]);
    const sent = bodies.join();
    for (const part of [
      '"properties":{"items":["x",["y"]],"on":"1970-01-01T00:00:00.001Z","for":{"whom":"me"}}',
      '"summary"',
      '"exposure"',
    ])
      expect(sent).toContain(part);
    if (mode === 'remoteMode')
      expect(sent).toContain(
        '"attributes":{"name":"u2","tags":["a","b"],"since":"1970-01-01T00:00:00.000Z","plan":{"ends":[1]}}',
      );
  },
);

test.each(MODES.flatMap((mode) => Object.keys(PATCHES).map((name) => [name, mode] as const)))(
  'sends, stores and serves the same as without patches, with %s: %s',
  async (name, mode) => {
    expect(await visit(mode, PATCHES[name]!)).toEqual(await visit(mode, ''));
  },
);

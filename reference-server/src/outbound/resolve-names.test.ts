import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type NameAnswer, type NameServer, startNameServer } from '../../test/name-server.ts';
import { createNameLookup, type NameLookupOptions } from './resolve-names.ts';

/** The answers of the name server, by name. The server does not answer queries for other names. */
let answers: Record<string, NameAnswer | ((type: 'A' | 'AAAA') => NameAnswer | undefined)>;
let server: NameServer;
let folder: string;

beforeEach(async () => {
  answers = {};
  server = await startNameServer((name, type) => {
    const found = answers[name];
    return typeof found === 'function' ? found(type) : found;
  });
  folder = mkdtempSync(join(tmpdir(), 'flagsvc-names-'));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const v4 = (...addresses: string[]) => {
  return (type: 'A' | 'AAAA'): NameAnswer => ({ addresses: type === 'A' ? addresses : [] });
};
const signal = () => new AbortController().signal;

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A look-up at the test's name server. Files are empty unless given. */
function lookupWith(options: NameLookupOptions = {}) {
  const hostsFile = fileOf('hosts', '');
  const searchFile = fileOf('resolv.conf', '');
  return createNameLookup({ servers: [server.address], hostsFile, searchFile, ...options });
}

const addresses = (found: readonly { address: string }[]) => found.map(({ address }) => address);

test('finds the addresses of both families', async () => {
  answers['both.example'] = (type) => ({
    addresses: type === 'A' ? ['203.0.113.1', '203.0.113.2'] : ['2001:db8:0:0:0:0:0:1'],
  });
  const found = await lookupWith()('both.example', signal());
  expect([...found].sort((left, right) => (left.address < right.address ? -1 : 1))).toEqual([
    { address: '2001:db8::1', family: 6 },
    { address: '203.0.113.1', family: 4 },
    { address: '203.0.113.2', family: 4 },
  ]);
});

test('does not wait for the other address family once one has addresses', async () => {
  answers['half.example'] = (type) => (type === 'A' ? { addresses: ['203.0.113.1'] } : undefined);
  expect(addresses(await lookupWith()('half.example', signal()))).toEqual(['203.0.113.1']);
});

test('waits for the family that has addresses when the other has none', async () => {
  answers['late.example'] = (type) =>
    type === 'A' ? { addresses: ['203.0.113.1'], delayMs: 200 } : { addresses: [] };
  answers['alias.example'] = (type) =>
    type === 'A' ? { addresses: ['203.0.113.1'], delayMs: 200 } : { isLoop: true };
  for (const name of ['late.example', 'alias.example']) {
    expect(addresses(await lookupWith()(name, signal()))).toEqual(['203.0.113.1']);
  }
});

test.each([
  [{ code: 3 }, 'ENOTFOUND'],
  [{ code: 2 }, 'ESERVFAIL'],
  [{ addresses: [] }, 'ENODATA'],
  [{ isLoop: true }, 'ENODATA'],
])('rejects %j with %s', async (answer, code) => {
  answers['nothing.example'] = answer;
  await expect(lookupWith()('nothing.example', signal())).rejects.toMatchObject({ code });
});

test('ends when its signal aborts, and cancels its queries', async () => {
  const aborter = new AbortController();
  const found = lookupWith()('silent.example', aborter.signal);
  await expect.poll(() => server.queries.length).toBe(2);
  aborter.abort(new Error('enough'));
  await expect(found).rejects.toThrow('enough');
  // No query remains that would keep the process alive or be sent again.
  await expect
    .poll(() => process.getActiveResourcesInfo().filter((name) => name === 'QueryWrap'))
    .toEqual([]);
});

test('shares one query between concurrent look-ups of a name, each of which can abort alone', async () => {
  answers['shared.example'] = (type) => ({ ...v4('203.0.113.1')(type), delayMs: 300 });
  const lookup = lookupWith();
  const impatient = new AbortController();
  const first = lookup('shared.example', impatient.signal);
  const second = lookup('shared.example', signal());
  impatient.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
  expect(addresses(await second)).toEqual(['203.0.113.1']);
  expect([...server.queries].sort()).toEqual(['A shared.example', 'AAAA shared.example']);
  // Results are not cached.
  await lookup('shared.example', signal());
  expect(server.queries).toHaveLength(4);
});

test('resolves a name while a hundred other names are not answered', async () => {
  answers['healthy.example'] = v4('203.0.113.1');
  const lookup = lookupWith();
  const aborter = new AbortController();
  const silent = Array.from({ length: 100 }, (_, index) =>
    lookup(`silent-${index}.example`, aborter.signal).catch((error: unknown) => error),
  );
  await expect.poll(() => server.queries.length).toBe(200);
  expect(addresses(await lookup('healthy.example', signal()))).toEqual(['203.0.113.1']);
  aborter.abort();
  await Promise.all(silent);
});

test('reads the hosts file first, and again after it changes', async () => {
  answers['listed.example'] = v4('203.0.113.9');
  const hostsFile = fileOf('hosts', '# 203.0.113.7 listed.example\n');
  const lookup = lookupWith({ hostsFile });
  expect(addresses(await lookup('listed.example', signal()))).toEqual(['203.0.113.9']);
  fileOf(
    'hosts',
    '203.0.113.7\tother Listed.Example # mine\r\n::1 listed.example\n203.0.113.8 xlisted.example\n',
  );
  expect(await lookup('listed.example', signal())).toEqual([
    { address: '203.0.113.7', family: 4 },
    { address: '::1', family: 6 },
  ]);
  expect(addresses(await lookup('listed.example.', signal()))).toEqual(['203.0.113.7', '::1']);
});

test.each(['localhost', 'LOCALHOST', 'a.localhost', 'localhost.'])(
  'resolves %s without a query',
  async (name) => {
    expect(addresses(await lookupWith()(name, signal()))).toEqual(['127.0.0.1', '::1']);
    const hostsFile = fileOf('none', '127.0.0.2 localhost\n');
    if (/^localhost\.?$/i.test(name))
      expect(addresses(await lookupWith({ hostsFile })(name, signal()))).toEqual(['127.0.0.2']);
    expect(server.queries).toEqual([]);
  },
);

test.each([
  [
    'search ns.svc.cluster.local svc.cluster.local\noptions timeout:1 ndots:5\n',
    'hooks',
    'hooks.svc.cluster.local',
  ],
  ['search ns.svc.cluster.local svc.cluster.local\noptions ndots:5\n', 'a.b.c.d', 'a.b.c.d'],
  ['domain corp.example\n', 'hooks', 'hooks.corp.example'],
  ['domain corp.example\nsearch .\n', 'hooks', 'hooks'],
  ['search one.example\nsearch two.example.\n', 'hooks', 'hooks.two.example'],
  ['search corp.example\n', 'hooks.team', 'hooks.team'],
  ['search corp.example\n', 'hooks.team', 'hooks.team.corp.example'],
])('resolves, with %j, the name %s as %s', async (text, name, found) => {
  const missing = { code: 3 };
  answers = new Proxy({ [found]: v4('203.0.113.1') } as typeof answers, {
    get: (all, key) => all[key as string] ?? missing,
  });
  const lookup = lookupWith({ searchFile: fileOf('search', text) });
  expect(addresses(await lookup(name, signal()))).toEqual(['203.0.113.1']);
});

test('tries no search domain for a name that ends with a dot', async () => {
  answers['hooks'] = { code: 3 };
  const lookup = lookupWith({ searchFile: fileOf('search', 'search corp.example\n') });
  await expect(lookup('hooks.', signal())).rejects.toMatchObject({ code: 'ENOTFOUND' });
  expect([...server.queries].sort()).toEqual(['A hooks', 'AAAA hooks']);
});

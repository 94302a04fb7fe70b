import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { codeOf, refused } from '../../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

let server: TestServer;
let api: Api;
let staging: Api;
/** Ids of flags by key. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  staging = api.in(server.environments.staging);
  await create('a', 'b', 'c', 'd', 'e', 'f', 'g');
});
afterAll(() => server.close());

async function create(...keys: readonly string[]): Promise<void> {
  for (const key of keys) ids[key] = (await api.flags.create(booleanFlag(key))).id;
}

/** Makes others the prerequisites of a flag. */
function setPrerequisites(key: string, others: readonly string[], by = api) {
  const prerequisites = others.map((flag_key) => ({ flag_key, variation: 'on' }));
  return by.flags.update(ids[key]!, { prerequisites });
}

test('prerequisites are stored and returned', async () => {
  const { prerequisites } = await setPrerequisites('a', ['b']);
  expect(prerequisites).toEqual([{ flag_key: 'b', variation: 'on' }]);
});

test('a cycle is refused with its path', async () => {
  await setPrerequisites('b', ['c']);
  expect(await refused(setPrerequisites('c', ['d', 'a']))).toMatchObject({
    code: 'PREREQUISITE_CYCLE',
    details: { path: ['c', 'a', 'b', 'c'] },
  });
  expect((await refused(setPrerequisites('g', ['g']))).details.path).toEqual(['g', 'g']);
});

test('cycles are detected in each environment separately', async () => {
  expect(await codeOf(setPrerequisites('c', ['a'], staging))).toBe('OK');
});

test('a chain that is too deep is refused, wherever the new link is', async () => {
  await setPrerequisites('c', ['d']);
  await setPrerequisites('e', ['f']);
  await setPrerequisites('f', ['g']);
  // a > b > c > d and e > f > g: together six links.
  expect(await refused(setPrerequisites('d', ['e']))).toMatchObject({
    code: 'PREREQUISITE_DEPTH',
    details: { path: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
  });
  expect(await codeOf(setPrerequisites('d', ['f']))).toBe('OK');
});

test('unknown flags and variations are refused as prerequisites', async () => {
  expect(await codeOf(setPrerequisites('g', ['nowhere']))).toBe('PREREQUISITE_UNKNOWN');
  const prerequisites = [{ flag_key: 'a', variation: 'maybe' }];
  const { details } = await refused(api.flags.update(ids['g']!, { prerequisites }));
  expect(details).toMatchObject({ field: 'prerequisites.0', flag_key: 'a', variation: 'maybe' });
});

test('archiving a prerequisite of other flags returns a warning', async () => {
  const archive = async (key: string) => (await staging.flags.archive(ids[key]!).answer).headers;
  expect((await archive('c'))['x-flagsvc-warnings']).toBe('prerequisite-of=1');
  expect((await archive('b'))['x-flagsvc-warnings']).toBe('prerequisite-of=1');
  expect((await archive('e'))['x-flagsvc-warnings']).toBeUndefined();
});

test('a flag cannot be restored into a cycle that was created while the flag was archived', async () => {
  await create('p', 'q', 'r');
  await setPrerequisites('p', ['q']);
  await setPrerequisites('r', ['p']);
  await staging.flags.archive(ids['p']!);
  await setPrerequisites('q', ['r']);
  expect(await refused(staging.flags.restore(ids['p']!))).toMatchObject({
    code: 'PREREQUISITE_CYCLE',
    details: { path: ['p', 'q', 'r', 'p'], environment_id: server.environments.production },
  });
  await setPrerequisites('q', []);
  expect(await codeOf(staging.flags.restore(ids['p']!))).toBe('OK');
});

test('a flag can be restored if its prerequisite is archived, but not if it is deleted', async () => {
  await create('t', 'u');
  await setPrerequisites('t', ['u']);
  await api.flags.archive(ids['t']!);
  await api.flags.archive(ids['u']!);
  expect(await codeOf(api.flags.restore(ids['t']!))).toBe('OK');
  await api.flags.archive(ids['t']!);
  await server.as('admin').flags.delete(ids['u']!, { confirm_key: 'u' });
  expect(await codeOf(api.flags.restore(ids['t']!))).toBe('PREREQUISITE_UNKNOWN');
});

test('a stored cycle cannot be lengthened', async () => {
  await create('x', 'y', 'z');
  await setPrerequisites('x', ['y']);
  const prerequisites_json = JSON.stringify([{ flag_key: 'x', variation: 'on' }]);
  await server.db
    .updateTable('flag_environments')
    .set({ prerequisites_json })
    .where('flag_id', '=', ids['y']!)
    .execute();
  expect(await codeOf(setPrerequisites('z', ['x']))).toBe('PREREQUISITE_DEPTH');
});

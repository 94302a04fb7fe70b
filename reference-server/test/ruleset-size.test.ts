import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.ts';
import { codeOf, refused } from './api-call.ts';
import { type FlagBody, startServer, type TestServer } from './server.ts';

const BYTES_MAX = 40_000;

let server: TestServer;
/** The admin's client of the API, with staging as its environment. */
let api: Api;
/** The data plane of staging. */
let dataPlane: Api['dataPlane'];

beforeAll(async () => {
  server = await startServer({ rulesetBytesMax: BYTES_MAX });
  const { staging } = server.environments;
  api = server.as('admin').in(staging);
  const { key } = await api.apiKeys.create(staging, { name: 'k' });
  dataPlane = server.withKey(key!).dataPlane;
  await readSize();
});
afterAll(() => server.close());

/** The length of the served ruleset in bytes. */
async function readSize(): Promise<number> {
  return JSON.stringify((await dataPlane.ruleset().answer).body).length;
}

const flagOf = (key: string, length: number): FlagBody => ({
  key,
  name: key,
  flag_type: 'string',
  variations: [{ key: 'a', name: 'A', value: 'x'.repeat(length) }],
  default_variation: 'a',
});
const create = (key: string, length: number) => api.flags.create(flagOf(key, length));
const readHealth = async () => (await server.anonymous.raw({ url: '/health' })).body;

test('refuses a flag that would make the ruleset too large, and accepts changes that shrink it', async () => {
  const ids: string[] = [];
  for (const key of ['a', 'b', 'c']) ids.push((await create(key, 10_000)).id);
  const before = await readSize();
  expect(await refused(create('d', 10_000))).toMatchObject({
    code: 'LIMIT_EXCEEDED',
    details: { limit: 'ruleset_bytes', maximum: BYTES_MAX },
  });
  expect(await readSize()).toBe(before);
  await api.flags.update(ids[0]!, { variations: flagOf('a', 10).variations });
  await create('d', 5_000);
  await api.flags.toggle(ids[0]!, true);
});

/** Imports flags and returns the finished import. */
async function applyImport(flags: readonly object[]) {
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags };
  const { id } = await api.imports.create(server.projectId, { document });
  return api.imports.apply(id, {}, { headers: { prefer: 'wait=10' } });
}

test('an import whose flags together exceed the limit fails, and writes none of them', async () => {
  const before = await readSize();
  const flags = ['e', 'f', 'g'].map((key) => ({ ...flagOf(key, 6_000), environments: {} }));
  expect(await applyImport(flags)).toMatchObject({
    status: 'failed',
    error: { code: 'LIMIT_EXCEEDED', details: { limit: 'ruleset_bytes' } },
  });
  expect((await readHealth()).checks).toEqual({ database: 'ok', ruleset_compiler: 'ok' });
  expect(await readSize()).toBe(before);
  const found = api.flags.getByKey('e', { project_id: server.projectId });
  expect(await codeOf(found)).toBe('FLAG_NOT_FOUND');
});

test('in the size of each ruleset, an imported flag counts only with its configuration for that environment', async () => {
  const condition = { attribute: 'plan', operator: 'is', value: 'x'.repeat(900) };
  const rule = { priority: 1, name: 'r', conditions: Array(5).fill(condition), variation: 'a' };
  const configuration = { enabled: true, targeting_rules: [rule] };
  const flag = {
    ...flagOf('everywhere', 10),
    environments: { development: configuration, staging: configuration, production: configuration },
  };
  expect((await readSize()) + 3 * JSON.stringify(configuration).length).toBeGreaterThan(BYTES_MAX);
  expect(await applyImport([flag])).toMatchObject({ status: 'applied' });
  expect(await readSize()).toBeLessThan(BYTES_MAX);
});

test('/health reports a stored ruleset above the limit, and the previous ruleset is served', async () => {
  const before = await readSize();
  const { variations } = flagOf('b', BYTES_MAX);
  const long = JSON.stringify(variations);
  await server.db.updateTable('flags').set({ variations_json: long }).where('key', '=', 'b').execute();
  const { id } = await api.flags.getByKey('c', { project_id: server.projectId });
  await api.flags.toggle(id, true);
  expect(await readHealth()).toMatchObject({
    status: 'ok',
    checks: { database: 'ok', ruleset_compiler: 'failing' },
  });
  expect(await readSize()).toBe(before);
});

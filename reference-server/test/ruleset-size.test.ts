import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from './server.ts';

const BYTES_MAX = 40_000;

let server: TestServer;
let environment: string;
let apiKey: string;

beforeAll(async () => {
  server = await startServer({ rulesetBytesMax: BYTES_MAX });
  environment = server.environments.staging;
  apiKey = (await send('POST', `/environments/${environment}/api-keys`, { name: 'k' })).body.data.key;
  await bytes();
});
afterAll(() => server.close());

function send(method: string, url: string, body?: object) {
  return server.call({ method: method as 'POST', url, token: server.tokens.admin, body });
}

/** How long the ruleset is that is served. */
async function bytes(): Promise<number> {
  const { body } = await server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': apiKey } });
  return JSON.stringify(body).length;
}

const flagOf = (key: string, length: number) => ({
  key,
  name: key,
  flag_type: 'string',
  variations: [{ key: 'a', name: 'A', value: 'x'.repeat(length) }],
  default_variation: 'a',
});
const create = (key: string, length: number) =>
  send('POST', `/flags?environment_id=${environment}`, flagOf(key, length));
const health = async () => (await server.call({ url: '/health' })).body;

test('refuses what would make a ruleset too long to be served, and lets it become shorter', async () => {
  const ids: string[] = [];
  for (const key of ['a', 'b', 'c']) ids.push((await create(key, 10_000)).body.data.id);
  const before = await bytes();
  const { status, body } = await create('d', 10_000);
  expect([status, body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
  expect(body.error.details).toMatchObject({ limit: 'ruleset_bytes', maximum: BYTES_MAX });
  expect(await bytes()).toBe(before);
  const url = `/flags/${ids[0]}?environment_id=${environment}`;
  const shorter = { variations: flagOf('a', 10).variations };
  expect((await send('PUT', url, shorter)).status).toBe(200);
  expect((await create('d', 5_000)).status).toBe(201);
  const toggle = url.replace('?', '/toggle?');
  expect((await send('POST', toggle, { enabled: true })).status).toBe(200);
});

/** Imports flags, and gives what became of it. */
async function applyImport(flags: readonly object[]): Promise<unknown> {
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags };
  const planned = await send('POST', `/projects/${server.projectId}/imports`, { document });
  const applied = await server.call({
    method: 'POST',
    url: `/imports/${planned.body.data.id}/apply`,
    token: server.tokens.admin,
    headers: { prefer: 'wait=10' },
    body: {},
  });
  return applied.body.data;
}

test('refuses changes of one call that together would be too long, and writes none of them', async () => {
  const before = await bytes();
  const flags = ['e', 'f', 'g'].map((key) => ({ ...flagOf(key, 6_000), environments: {} }));
  const applied = await applyImport(flags);
  expect(applied).toMatchObject({
    status: 'failed',
    error: { code: 'LIMIT_EXCEEDED', details: { limit: 'ruleset_bytes' } },
  });
  expect((await health()).checks).toEqual({ database: 'ok', ruleset_compiler: 'ok' });
  expect(await bytes()).toBe(before);
  const found = await send(
    'GET',
    `/flags/by-key/e?project_id=${server.projectId}&environment_id=${environment}`,
  );
  expect(found.status).toBe(404);
});

test('counts what a flag is in one environment, where an import brings it for several', async () => {
  const condition = { attribute: 'plan', operator: 'is', value: 'x'.repeat(900) };
  const rule = { priority: 1, name: 'r', conditions: Array(5).fill(condition), variation: 'a' };
  const configuration = { enabled: true, targeting_rules: [rule] };
  const flag = {
    ...flagOf('everywhere', 10),
    environments: { development: configuration, staging: configuration, production: configuration },
  };
  expect((await bytes()) + 3 * JSON.stringify(configuration).length).toBeGreaterThan(BYTES_MAX);
  const applied = await applyImport([flag]);
  expect(applied).toMatchObject({ status: 'applied' });
  expect(await bytes()).toBeLessThan(BYTES_MAX);
});

test('tells its health of a ruleset that is too long all the same, and serves what was before it', async () => {
  const before = await bytes();
  const { variations } = flagOf('b', BYTES_MAX);
  const long = JSON.stringify(variations);
  await server.db.updateTable('flags').set({ variations_json: long }).where('key', '=', 'b').execute();
  const query = `environment_id=${environment}`;
  const { body } = await send('GET', `/flags/by-key/c?project_id=${server.projectId}&${query}`);
  expect((await send('POST', `/flags/${body.data.id}/toggle?${query}`, { enabled: true })).status).toBe(200);
  expect(await health()).toMatchObject({
    status: 'ok',
    checks: { database: 'ok', ruleset_compiler: 'failing' },
  });
  expect(await bytes()).toBe(before);
});

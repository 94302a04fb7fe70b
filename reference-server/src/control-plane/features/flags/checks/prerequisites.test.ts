import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

let server: TestServer;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startServer();
  await create('a', 'b', 'c', 'd', 'e', 'f', 'g');
});
afterAll(() => server.close());

async function create(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const { body } = await server.call({
      method: 'POST',
      url: `/flags?environment_id=${server.environments.production}`,
      token: server.tokens.editor,
      body: booleanFlag(key),
    });
    ids[key] = body.data.id;
  }
}

/** Asks in staging, whichever environment a flag waits in. */
function ask(method: 'POST' | 'DELETE', key: string, path = '') {
  const url = `/flags/${ids[key]}${path}?environment_id=${server.environments.staging}`;
  return server.call({ method, url, token: server.tokens.editor });
}

function waitFor(key: string, others: readonly string[], environment = server.environments.production) {
  return server.call({
    method: 'PUT',
    url: `/flags/${ids[key]}?environment_id=${environment}`,
    token: server.tokens.editor,
    body: { prerequisites: others.map((flag_key) => ({ flag_key, variation: 'on' })) },
  });
}

test('takes prerequisites and shows them', async () => {
  const { status, body } = await waitFor('a', ['b']);
  expect(status).toBe(200);
  expect(body.data.prerequisites).toEqual([{ flag_key: 'b', variation: 'on' }]);
});

test('refuses a cycle with its path', async () => {
  await waitFor('b', ['c']);
  const { status, body } = await waitFor('c', ['d', 'a']);
  expect([status, body.error.code]).toEqual([422, 'PREREQUISITE_CYCLE']);
  expect(body.error.details.path).toEqual(['c', 'a', 'b', 'c']);
  const own = await waitFor('g', ['g']);
  expect(own.body.error.details.path).toEqual(['g', 'g']);
});

test('has no cycle across environments', async () => {
  expect((await waitFor('c', ['a'], server.environments.staging)).status).toBe(200);
});

test('refuses a chain that is too deep, wherever the new link is', async () => {
  await waitFor('c', ['d']);
  await waitFor('e', ['f']);
  await waitFor('f', ['g']);
  // a > b > c > d and e > f > g: together six links.
  const { status, body } = await waitFor('d', ['e']);
  expect([status, body.error.code]).toEqual([422, 'PREREQUISITE_DEPTH']);
  expect(body.error.details.path).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect((await waitFor('d', ['f'])).status).toBe(200);
});

test('refuses unknown flags, unknown variations and archived flags', async () => {
  const unknown = await waitFor('g', ['nowhere']);
  expect([unknown.status, unknown.body.error.code]).toEqual([422, 'PREREQUISITE_UNKNOWN']);
  const { body } = await server.call({
    method: 'PUT',
    url: `/flags/${ids['g']}?environment_id=${server.environments.production}`,
    token: server.tokens.editor,
    body: { prerequisites: [{ flag_key: 'a', variation: 'maybe' }] },
  });
  expect(body.error.details).toMatchObject({ field: 'prerequisites.0', flag_key: 'a', variation: 'maybe' });
});

test('archives a flag that others wait for, and warns', async () => {
  const answer = await ask('DELETE', 'c');
  expect([answer.status, answer.headers['x-flagsvc-warnings']]).toEqual([204, 'prerequisite-of=1']);
  expect((await ask('DELETE', 'b')).headers['x-flagsvc-warnings']).toBe('prerequisite-of=1');
  expect((await ask('DELETE', 'e')).headers['x-flagsvc-warnings']).toBeUndefined();
});

test('does not bring a flag back into a cycle that was made while it was archived', async () => {
  await create('p', 'q', 'r');
  await waitFor('p', ['q']);
  await waitFor('r', ['p']);
  await ask('DELETE', 'p');
  expect((await waitFor('q', ['r'])).status).toBe(200);
  const { status, body } = await ask('POST', 'p', '/restore');
  expect([status, body.error]).toMatchObject([
    422,
    {
      code: 'PREREQUISITE_CYCLE',
      details: { path: ['p', 'q', 'r', 'p'], environment_id: server.environments.production },
    },
  ]);
  await waitFor('q', []);
  expect((await ask('POST', 'p', '/restore')).status).toBe(200);
});

test('does not bring a flag back that waits for one that was deleted, only archived ones may come later', async () => {
  await create('t', 'u');
  await waitFor('t', ['u']);
  await ask('DELETE', 't');
  await ask('DELETE', 'u');
  expect((await ask('POST', 't', '/restore')).status).toBe(200);
  await ask('DELETE', 't');
  const url = `/flags/${ids['u']}/permanent?confirm_key=u`;
  expect((await server.call({ method: 'DELETE', url, token: server.tokens.admin })).status).toBe(204);
  const { status, body } = await ask('POST', 't', '/restore');
  expect([status, body.error.code]).toEqual([422, 'PREREQUISITE_UNKNOWN']);
});

test('answers where a cycle is already, and refuses to lengthen it', async () => {
  await create('x', 'y', 'z');
  await waitFor('x', ['y']);
  const prerequisites_json = JSON.stringify([{ flag_key: 'x', variation: 'on' }]);
  await server.db
    .updateTable('flag_environments')
    .set({ prerequisites_json })
    .where('flag_id', '=', ids['y']!)
    .execute();
  const { status, body } = await waitFor('z', ['x']);
  expect([status, body.error.code]).toEqual([422, 'PREREQUISITE_DEPTH']);
});

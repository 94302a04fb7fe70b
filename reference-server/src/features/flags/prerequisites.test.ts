import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../test/server.ts';

let server: TestServer;
const ids: Record<string, string> = {};

beforeAll(async () => {
  server = await startServer();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    const { body } = await server.call({
      method: 'POST',
      url: `/flags?environment_id=${server.environments.production}`,
      token: server.tokens.editor,
      body: booleanFlag(key),
    });
    ids[key] = body.data.id;
  }
});
afterAll(() => server.close());

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
  const archive = (key: string) =>
    server.call({
      method: 'DELETE',
      url: `/flags/${ids[key]}?environment_id=${server.environments.staging}`,
      token: server.tokens.editor,
    });
  const answer = await archive('c');
  expect([answer.status, answer.headers['x-flagsvc-warnings']]).toEqual([204, 'prerequisite-of=1']);
  expect((await archive('b')).headers['x-flagsvc-warnings']).toBe('prerequisite-of=1');
  expect((await archive('e')).headers['x-flagsvc-warnings']).toBeUndefined();
});

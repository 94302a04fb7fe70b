import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let flagId: string;

/** Restricts the editor to the development environment. */
beforeEach(async () => {
  server = await startServer();
  const flag = await as('admin', 'POST', at('/flags'), booleanFlag('checkout', { tags: ['critical'] }));
  flagId = flag.body.data.id;
  await keepTo('development');
});
afterEach(() => server.close());

function as(role: 'admin' | 'editor', method: string, url: string, body?: unknown) {
  return server.call({ method: method as 'GET', url, token: server.tokens[role], body });
}
const at = (path: string): string => `${path}?environment_id=${server.environments.development}`;

async function keepTo(...keys: readonly (keyof TestServer['environments'])[]) {
  const members = `/organizations/${server.organizationId}/members`;
  const { data } = (await as('admin', 'GET', members)).body;
  const { id } = data.find((one: { role: string }) => one.role === 'editor');
  const environment_ids = keys.map((key) => server.environments[key]);
  expect((await as('admin', 'PATCH', `${members}/${id}`, { environment_ids })).status).toBe(200);
}

test('an editor of some environments cannot change what shows in the others', async () => {
  const segments = `/projects/${server.projectId}/segments`;
  const segment = (await as('admin', 'POST', segments, { key: 'staff', conditions: [] })).body.data;
  const tag = `/projects/${server.projectId}/tags/critical`;
  const shared: readonly [string, string, unknown?][] = [
    ['PUT', at(`/flags/${flagId}`), { name: 'Renamed' }],
    ['PUT', at(`/flags/${flagId}`), { permanent: true }],
    ['PUT', at(`/flags/${flagId}`), { classification: 'ops_killswitch' }],
    ['PUT', at(`/flags/${flagId}`), { tags: [], default_variation: 'on' }],
    ['POST', at(`/flags/${flagId}/mark-stale`), {}],
    ['PATCH', tag, { name: 'other' }],
    ['DELETE', tag],
    ['PUT', `/segments/${segment.id}`, { name: 'Renamed' }],
  ];
  for (const [method, url, body] of shared) {
    const answer = await as('editor', method, url, body);
    expect([method, url, answer.status, answer.body?.error?.code]).toEqual([
      method,
      url,
      403,
      'INSUFFICIENT_PERMISSIONS',
    ]);
  }
  await keepTo('development', 'staging', 'production');
  for (const [method, url, body] of shared.slice(0, 3)) {
    expect((await as('editor', method, url, body)).status).toBe(200);
  }
});

test('an editor of some environments can change them, also stale flags and drafts', async () => {
  const off = { name: 'Flag checkout', tags: ['critical'], default_variation: 'on' };
  expect((await as('admin', 'POST', at(`/flags/${flagId}/mark-stale`), {})).status).toBe(200);
  const worked = await as('editor', 'PUT', at(`/flags/${flagId}`), off);
  expect(worked.body.data).toMatchObject({ status: 'active', default_variation: 'on' });

  const draft = await as('editor', 'POST', at('/flags'), { ...booleanFlag('draft'), draft: true });
  expect(draft.status).toBe(201);
  const named = await as('editor', 'PUT', at(`/flags/${draft.body.data.id}`), { name: 'Named', tags: ['x'] });
  expect(named.body.data).toMatchObject({ status: 'draft', name: 'Named', tags: ['x'] });
});

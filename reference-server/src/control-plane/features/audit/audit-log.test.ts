import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
let flagId: string;

beforeAll(async () => {
  server = await startServer();
  const { development } = server.environments;
  const flag = await as('editor', 'POST', `/flags?environment_id=${development}`, booleanFlag('seen'));
  flagId = flag.body.data.id;
  for (const enabled of [true, false, true]) {
    await as('editor', 'POST', `/flags/${flagId}/toggle?environment_id=${development}`, {
      enabled,
      comment: enabled ? 'on for 50%_of all' : 'off',
    });
  }
  await as('admin', 'POST', `/environments/${development}/api-keys`, { name: 'sdk' });
});
afterAll(() => server.close());

function as(role: 'admin' | 'editor' | 'viewer', method: string, url: string, body?: unknown) {
  const headers = { 'user-agent': 'tests/1', 'x-flagsvc-client': 'cli', 'x-request-id': 'req-1' };
  return server.call({ method: method as 'GET', url, token: server.tokens[role], body, headers });
}
const list = async (query: string, role: 'admin' | 'viewer' = 'admin') =>
  (await as(role, 'GET', `/audit-log?${query}`)).body;
const faultsOf = async (query: string) =>
  (await list(query)).error.details.fields.map((one: { field: string; message: string }) => [
    one.field,
    one.message,
  ]);
const actionsOf = (body: { data: { action: string }[] }) => body.data.map((entry) => entry.action);

test('tells who did what, when, how and why', async () => {
  const [entry] = (await list('action=flag.toggled')).data;
  expect(entry).toEqual({
    id: expect.stringMatching(/^evt_/),
    action: 'flag.toggled',
    actor: {
      id: expect.stringMatching(/^usr_/),
      email: 'editor@example.com',
      name: null,
      kind: 'user',
      token_id: null,
    },
    resource: { type: 'flag', id: flagId, key: 'seen' },
    project_id: server.projectId,
    environment_id: server.environments.development,
    changes: { enabled: { from: false, to: true } },
    comment: 'on for 50%_of all',
    via: 'cli',
    request_id: 'req-1',
    ip: '127.0.0.1',
    user_agent: 'tests/1',
    break_glass_id: null,
    change_request_id: null,
    revision: expect.any(Number),
    timestamp: expect.any(String),
  });
  const one = await as('admin', 'GET', `/audit-log/${entry.id}`);
  expect(one.body.data).toEqual(entry);
  expect((await as('admin', 'GET', '/audit-log/evt_x')).body.error.code).toBe('AUDIT_ENTRY_NOT_FOUND');
});

test('shows viewers what belongs to projects, and whence only to admins', async () => {
  const all = await list('per_page=200');
  const some = await list('per_page=200', 'viewer');
  expect(actionsOf(all)).toContain('auth.login');
  expect(some.data.every((entry: { project_id: unknown }) => entry.project_id !== null)).toBe(true);
  expect(some.data.every((entry: { ip: unknown }) => entry.ip === null)).toBe(true);
  const login = all.data.find((entry: { action: string }) => entry.action === 'auth.login');
  expect((await as('viewer', 'GET', `/audit-log/${login.id}`)).status).toBe(404);
});

test.each([
  ['action=flag.toggled', 3],
  ['action=flag.*&resource_type=flag', 4],
  ['action=api_key.*', 1],
  ['resource_id=FLAG', 4],
  ['actor_kind=system', 2],
  ['project_id=PROJECT&action=flag.*', 4],
  ['environment_id=ENVIRONMENT&action=flag.*', 4],
  // It was made in every environment, and switched in one.
  ['environment_id=ELSEWHERE&action=flag.*', 1],
  ['environment_id=env_x', 0],
  ['q=50%25_', 2],
  ['q=SEEN', 4],
  ['q=50%25%25', 0],
  ['break_glass=any', 0],
  ['break_glass=false&action=flag.*', 4],
  ['to=2026-11-20T09:00:00Z', 0],
  ['from=2026-11-20T11:00:00%2B00:00', 0],
  ['action=flag.toggled&from=2026-11-20T10:00:00Z&to=2026-11-20T11:00:00Z', 3],
])('filters by %s', async (query, count) => {
  const filled = query
    .replace('FLAG', flagId)
    .replace('PROJECT', server.projectId)
    .replace('ENVIRONMENT', server.environments.development)
    .replace('ELSEWHERE', server.environments.production);
  const { data, meta } = await list(filled);
  expect([data.length, meta.total]).toEqual([count, count]);
});

test('reads on from a cursor, without a gap and without a repetition', async () => {
  const whole = await list('per_page=200');
  const seen: { id: string }[] = [];
  let cursor = '';
  for (;;) {
    const { data, meta } = await list(`per_page=5${cursor}`);
    seen.push(...data);
    if (meta.next_cursor === null) break;
    cursor = `&cursor=${meta.next_cursor}`;
    // New entries do not move what is older.
    await as('admin', 'PATCH', `/organizations/${server.organizationId}`, { name: `N${seen.length}` });
  }
  expect(seen).toEqual(whole.data);
  // Whatever else were compared with ids, it would begin anew, and a loop over pages would never end.
  expect(await faultsOf('cursor=garbage')).toEqual([['cursor', 'must be the meta.next_cursor of an answer']]);
  const second = await list('per_page=5&page=2&to=2026-11-20T10:00:00.100Z');
  expect(second.meta).toMatchObject({ page: 2, per_page: 5 });
});

test.each([
  ['break_glass=yes', 'break_glass', "must be true, false or a break-glass session's id (bgl_…)"],
  ['actor_id=a&actor_id=b', 'actor_id', 'must be sent once; separate the items of a list by commas'],
])('says of %s what is wanted', async (query, field, message) => {
  expect(await faultsOf(query)).toEqual([[field, message]]);
});

test('notes who tried what is not allowed, at most once a minute', async () => {
  const attempt = () => as('viewer', 'PATCH', `/projects/${server.projectId}`, { name: 'Mine' });
  const count = async () => (await list('action=auth.refused')).meta.total;
  const before = await count();
  for (let round = 0; round < 3; round++) expect((await attempt()).status).toBe(403);
  expect(await count()).toBe(before + 1);
  expect((await list('action=auth.refused')).data[0]).toMatchObject({
    actor: { email: 'viewer@example.com' },
    resource: { type: 'operation', id: 'updateProject' },
    changes: { permission: { to: 'project.update' }, role: { to: 'viewer' } },
  });
  server.advance(60_000);
  await attempt();
  expect(await count()).toBe(before + 2);
  // A clock that was set back does not hide who tries doors until it has come to where it was.
  server.advance(-3_600_000);
  await attempt();
  expect(await count()).toBe(before + 3);
  server.advance(3_600_000);
});

test("shows nothing of another tenant's", async () => {
  const { token } = await addTenant(server);
  const url = '/audit-log?per_page=200';
  const { body } = await server.call({ url, token });
  const text = JSON.stringify(body);
  for (const id of [flagId, server.projectId, server.organizationId]) expect(text).not.toContain(id);
  const [own] = (await list('action=flag.toggled')).data;
  expect((await server.call({ url: `/audit-log/${own.id}`, token })).status).toBe(404);
});

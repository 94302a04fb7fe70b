import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
let api: Api;
let flagId: string;

beforeAll(async () => {
  server = await startServer();
  api = server.as('admin');
  const { development } = server.environments;
  const editor = server.as('editor').in(development);
  const headers = { 'user-agent': 'tests/1', 'x-flagsvc-client': 'cli', 'x-request-id': 'req-1' };
  flagId = (await editor.flags.create(booleanFlag('seen'))).id;
  for (const enabled of [true, false, true]) {
    const comment = enabled ? 'on for 50%_of all' : 'off';
    await editor.flags.toggle(flagId, enabled, { comment, headers });
  }
  await api.apiKeys.create(development, { name: 'sdk' });
});
afterAll(() => server.close());

/** Lists the entries that match a query, which is written as in a URL. */
const list = async (query: string) => (await api.raw({ url: `/audit-log?${query}` })).body;
const faultsOf = async (query: string) =>
  (await list(query)).error.details.fields.map((fault: { field: string; message: string }) => [
    fault.field,
    fault.message,
  ]);

test('an entry records who did what, when, how and why', async () => {
  const [entry] = await api.audit.list({ action: 'flag.toggled' });
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
  expect(await api.audit.get(entry!.id)).toEqual(entry);
  expect(await codeOf(api.audit.get('evt_x'))).toBe('AUDIT_ENTRY_NOT_FOUND');
});

test('viewers see only entries that belong to projects, and no IP addresses', async () => {
  const all = await api.audit.list({ per_page: 200 });
  const some = await server.as('viewer').audit.list({ per_page: 200 });
  const login = all.find(({ action }) => action === 'auth.login');
  expect(login).toBeDefined();
  expect(some.every(({ project_id }) => project_id !== null)).toBe(true);
  expect(some.every(({ ip }) => ip === null)).toBe(true);
  expect(await codeOf(server.as('viewer').audit.get(login!.id))).toBe('AUDIT_ENTRY_NOT_FOUND');
});

test.each([
  ['action=flag.toggled', 3],
  ['action=flag.*&resource_type=flag', 4],
  ['action=api_key.*', 1],
  ['resource_id=FLAG', 4],
  ['actor_kind=system', 2],
  ['project_id=PROJECT&action=flag.*', 4],
  ['environment_id=ENVIRONMENT&action=flag.*', 4],
  // The flag was created in every environment and toggled in one.
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

test('pages of a period have the same entries in the same order as pages of everything', async () => {
  const all = (await api.audit.list({ per_page: 200 })).map(({ id }) => id);
  const read: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const period = { from: '2020-01-01T00:00:00.000Z', to: '2030-01-01T00:00:00.000Z' };
    const { data, meta } = (await api.audit.list({ ...period, per_page: 3, cursor }).answer).body;
    read.push(...data.map(({ id }) => id));
    expect(meta.total).toBe(all.length);
    if (meta.next_cursor === null) break;
    cursor = meta.next_cursor;
  }
  expect(read).toEqual(all);
});

test('pages by cursor have no gaps and no repetitions while new entries arrive', async () => {
  const whole = await api.audit.list({ per_page: 200 });
  const seen: unknown[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { data, meta } = (await api.audit.list({ per_page: 5, cursor }).answer).body;
    seen.push(...data);
    if (meta.next_cursor === null) break;
    cursor = meta.next_cursor;
    await api.organizations.update(server.organizationId, { name: `N${seen.length}` });
  }
  expect(seen).toEqual(whole);
  // An unknown cursor must not start again at the first page, otherwise a loop over pages would never end.
  expect(await faultsOf('cursor=garbage')).toEqual([['cursor', 'must be the meta.next_cursor of an answer']]);
  const second = await list('per_page=5&page=2&to=2026-11-20T10:00:00.100Z');
  expect(second.meta).toMatchObject({ page: 2, per_page: 5 });
});

test.each([
  ['break_glass=yes', 'break_glass', "must be true, false or a break-glass session's id (bgl_…)"],
  ['actor_id=a&actor_id=b', 'actor_id', 'must be sent once; separate the items of a list by commas'],
])('the refusal of %s explains the fault', async (query, field, message) => {
  expect(await faultsOf(query)).toEqual([[field, message]]);
});

test('refused attempts are recorded at most once a minute', async () => {
  const attempt = () => codeOf(server.as('viewer').projects.update(server.projectId, { name: 'Mine' }));
  const refusals = () => api.audit.list({ action: 'auth.refused' });
  const before = (await refusals()).length;
  for (let round = 0; round < 3; round++) expect(await attempt()).toBe('INSUFFICIENT_PERMISSIONS');
  const [entry, ...rest] = await refusals();
  expect(rest).toHaveLength(before);
  expect(entry).toMatchObject({
    actor: { email: 'viewer@example.com' },
    resource: { type: 'operation', id: 'updateProject' },
    changes: { permission: { to: 'project.update' }, role: { to: 'viewer' } },
  });
  server.advance(60_000);
  await attempt();
  expect(await refusals()).toHaveLength(before + 2);
  // Attempts after the clock was set back are recorded too.
  server.advance(-3_600_000);
  await attempt();
  expect(await refusals()).toHaveLength(before + 3);
  server.advance(3_600_000);
});

test('the log shows nothing of another organization', async () => {
  const tenant = server.withToken((await addTenant(server)).token);
  const text = JSON.stringify(await tenant.audit.list({ per_page: 200 }));
  for (const id of [flagId, server.projectId, server.organizationId]) expect(text).not.toContain(id);
  const [own] = await api.audit.list({ action: 'flag.toggled' });
  expect(await codeOf(tenant.audit.get(own!.id))).toBe('AUDIT_ENTRY_NOT_FOUND');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from './api.ts';
import type { Reply } from './api-call.ts';
import { booleanFlag, startServer, type TestServer } from './server.ts';

let server: TestServer;
/** The admin's client of the API, with development as its environment. */
let api: Api;
let ids: Awaited<ReturnType<typeof createResources>>;
beforeAll(async () => {
  server = await startServer();
  api = server.as('admin').in(server.environments.development);
  ids = await createResources();
});
afterAll(() => server.close());

async function createResources() {
  const { development } = server.environments;
  const planned = await api.flags.create(booleanFlag('planned'));
  return {
    flag: (await api.flags.create(booleanFlag('a'))).id,
    segment: (await api.segments.create(server.projectId, { key: 's', conditions: [] })).id,
    key: (await api.apiKeys.create(development, { name: 'k' })).id,
    webhook: (await api.webhooks.create({ url: 'https://hooks.example.com/', events: ['*'] })).id,
    window: (await api.freezeWindows.create({ name: 'w', starts_at: '2027-01-01T00:00:00Z' })).id,
    scheduledChange: (
      await api.scheduledChanges.create(planned.id, {
        environment_id: development,
        execute_at: '2027-01-01T00:00:00Z',
        changes: [{ op: 'set_enabled', enabled: true }],
      })
    ).id,
    member: (await server.as('viewer').auth.me()).id,
  };
}

/** The numbers of rows that changes write besides the resource itself, and the versions of all rulesets. */
async function readTraces() {
  const count = async (table: 'audit_entries' | 'outbox' | 'flag_revisions') =>
    (await server.db.selectFrom(table).selectAll().execute()).length;
  return {
    entries: await count('audit_entries'),
    messages: await count('outbox'),
    revisions: await count('flag_revisions'),
    versions: await server.db.selectFrom('rulesets').select(['environment_id', 'version']).execute(),
  };
}

const WRITES: Readonly<Record<string, () => Reply<unknown>>> = {
  'POST /flags/{flag_id}/toggle': () => api.flags.toggle(ids.flag, true),
  'PUT /flags/{flag_id}': () =>
    api.flags.update(ids.flag, { name: 'Other', tags: ['t'], prerequisites: [], comment: 'again' }),
  'PATCH /flags/{flag_id}': () =>
    api.flags.patch(ids.flag, { instructions: [{ op: 'set_default', variation: 'on' }] }),
  'PUT /projects/{project_id}/flags/by-key/{key}': () =>
    api.flags.upsert(server.projectId, 'a', { ...booleanFlag('a'), enabled: false }),
  'PUT /segments/{segment_id}': () => api.segments.update(ids.segment, { name: 'Other', included: ['ada'] }),
  'PATCH /projects/{project_id}': () =>
    api.projects.update(server.projectId, { name: 'Other', settings: { require_description: true } }),
  'PATCH /environments/{environment_id}': () =>
    api.environments.update(server.environments.development, { name: 'Other', color: '#123456' }),
  'PATCH /organizations/{organization_id}': () =>
    api.organizations.update(server.organizationId, { name: 'Other' }),
  'PATCH /organizations/{organization_id}/members/{user_id}': () =>
    api.members.update(server.organizationId, ids.member, { role: 'editor' }),
  'PUT /projects/{project_id}/members/{user_id}': () =>
    api.members.setProjectRole(server.projectId, ids.member, { role: 'admin' }),
  'PATCH /api-keys/{key_id}': () => api.apiKeys.update(ids.key, { name: 'Other' }),
  'PATCH /webhooks/{webhook_id}': () =>
    api.webhooks.update(ids.webhook, { description: 'Other', headers: { 'x-token': 'secret' } }),
  'PATCH /freeze-windows/{freeze_window_id}': () => api.freezeWindows.update(ids.window, { name: 'Other' }),
  'PATCH /scheduled-changes/{scheduled_change_id}': () =>
    api.scheduledChanges.update(ids.scheduledChange, { on_freeze: 'fail', comment: 'again' }),
};

test.each(Object.entries(WRITES))('%s records a change once, and nothing when repeated', async (_, write) => {
  const before = await readTraces();
  const first = await write().answer;
  expect(first.status).toBe(200);
  const after = await readTraces();
  expect([after.entries, after.messages]).toEqual([before.entries + 1, before.messages + 1]);
  const second = await write().answer;
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect(second.headers['etag']).toBe(first.headers['etag']);
  expect(await readTraces()).toEqual(after);
});

test('a new value of a webhook header is a change, although no answer shows it', async () => {
  await api.webhooks.update(ids.webhook, { headers: { 'x-token': 'one' } });
  const before = await readTraces();
  await api.webhooks.update(ids.webhook, { headers: { 'x-token': 'two' } });
  expect((await readTraces()).entries).toBe(before.entries + 1);
});

test('promoting or restoring a flag to its present state records nothing', async () => {
  const { development, staging } = server.environments;
  const rule = { priority: 1, name: 'all', conditions: [], variation: 'on' };
  await api.flags.update(ids.flag, { targeting_rules: [rule] });
  const promote = () =>
    api.flags.promote(ids.flag, { source_environment_id: development, target_environment_ids: [staging] });
  await promote();
  const { revision } = await api.flags.get(ids.flag);
  const before = await readTraces();
  await promote();
  await api.flags.restoreRevision(ids.flag, revision, {});
  expect(await readTraces()).toEqual(before);
});

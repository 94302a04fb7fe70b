import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

let server: TestServer;
let admin: Api;
let production: string;

beforeAll(async () => {
  server = await startServer();
  admin = server.as('admin');
  production = server.environments.production;
});
afterAll(() => server.close());

const read = (role: 'admin' | 'editor' | 'viewer' = 'admin', query: object = {}) =>
  server.as(role).unchecked.projects.attention(server.projectId, query);

test('a new project needs no attention', async () => {
  expect(await read()).toEqual({
    stale_flags: { mine: 0, all: 0 },
    changed_flags: 0,
    break_glass_reviews: 0,
    failing_webhooks: 0,
    expiring_keys: 0,
    active_freezes: [],
    next_freeze: null,
    stopped_changes: { total: 0, first: [] },
    failed_changes: { total: 0, first: [] },
  });
});

test('counts of what a person may not see are null', async () => {
  expect(await read('editor')).toMatchObject({
    break_glass_reviews: null,
    failing_webhooks: null,
    expiring_keys: 0,
  });
  expect(await read('viewer')).toMatchObject({ expiring_keys: null });
});

test('counts stale and changed flags', async () => {
  const { id } = await server.as('editor').flags.create(booleanFlag('old'));
  await admin.flags.markStale(id);
  expect(await read()).toMatchObject({ stale_flags: { mine: 0, all: 1 }, changed_flags: 1 });
  expect(await read('editor')).toMatchObject({ stale_flags: { mine: 1, all: 1 } });
  expect(await read('admin', { changed_since: '2999-01-01T00:00:00Z' })).toMatchObject({ changed_flags: 0 });
});

test('keys that expire within 14 days count; those of production only for people who may change them', async () => {
  await admin.apiKeys.create(production, { name: 'soon', expires_at: '2026-12-03T00:00:00Z' });
  await admin.apiKeys.create(production, { name: 'later', expires_at: '2026-12-30T00:00:00Z' });
  const { staging } = server.environments;
  await admin.apiKeys.create(staging, { name: 'soon', expires_at: '2026-12-03T00:00:00Z' });
  expect(await read()).toMatchObject({ expiring_keys: 2 });
  expect(await read('editor')).toMatchObject({ expiring_keys: 1 });
});

test('failing webhooks of the project and the organization count', async () => {
  const webhook = await admin.webhooks.create({ url: 'https://hooks.example.com/x', events: ['segment.*'] });
  expect(await read()).toMatchObject({ failing_webhooks: 0 });
  const failing_since = '2026-11-20T10:00:00.000Z';
  const { db } = server;
  await db.updateTable('webhooks').set({ failing_since }).where('id', '=', webhook.id).execute();
  expect(await read()).toMatchObject({ failing_webhooks: 1 });
});

test('sessions of others that are closed and not reviewed count', async () => {
  const other = await enter(server, 'second@example.com');
  await admin.members.update(server.organizationId, other.id, { role: 'admin' });
  const session = await other.api.breakGlass.open({
    scope: { environment_ids: [production] },
    justification: 'a reason that is long enough',
  });
  expect(await read()).toMatchObject({ break_glass_reviews: 0 });
  await other.api.breakGlass.close(session.id);
  expect(await read()).toMatchObject({ break_glass_reviews: 1 });
  expect(await other.api.projects.attention(server.projectId, {})).toMatchObject({ break_glass_reviews: 0 });
  await admin.breakGlass.review(session.id, { outcome: 'justified', note: 'seen' });
  expect(await read()).toMatchObject({ break_glass_reviews: 0 });
});

test('names active and next freezes of the project, and the scheduled changes that they stop', async () => {
  const flag = await admin.flags.create(booleanFlag('planned', { tags: ['shop'] }));
  const plan = (execute_at: string) =>
    admin.scheduledChanges.create(flag.id, {
      environment_id: production,
      execute_at,
      changes: [{ op: 'add_tag', tag: 'x' }],
    });
  const inside = await plan('2026-12-02T00:00:00Z');
  await plan('2026-12-09T00:00:00Z');
  const window = await admin.freezeWindows.create({
    name: 'Peak week',
    scope: { environment_types: ['production'], tags: ['shop'] },
    starts_at: '2026-12-01T00:00:00Z',
    ends_at: '2026-12-08T00:00:00Z',
  });
  const freeze = {
    freeze_window_id: window.id,
    name: 'Peak week',
    environment_ids: [production],
    starts_at: '2026-12-01T00:00:00.000Z',
    ends_at: '2026-12-08T00:00:00.000Z',
  };
  const attention = await read();
  expect(attention).toMatchObject({ active_freezes: [], next_freeze: freeze });
  expect(attention.stopped_changes).toEqual({
    total: 1,
    first: [
      {
        id: inside.id,
        flag_id: flag.id,
        flag_key: 'planned',
        flag_name: flag.name,
        environment_id: production,
        execute_at: inside.execute_at,
        on_freeze: inside.on_freeze,
        freeze_window_id: window.id,
        freeze_ends_at: freeze.ends_at,
      },
    ],
  });
  await admin.freezeWindows.update(window.id, {
    scope: { environment_types: ['production'], tags: ['other'] },
  });
  expect((await read()).stopped_changes.total).toBe(0);
});

test('names the scheduled changes of the last seven days that were not made', async () => {
  const flag = await admin.flags.create(booleanFlag('late'));
  const change = await admin.scheduledChanges.create(flag.id, {
    environment_id: production,
    execute_at: '2026-11-25T00:00:00Z',
    changes: [{ op: 'add_tag', tag: 'x' }],
  });
  const set = (values: object) =>
    server.db.updateTable('scheduled_changes').set(values).where('id', '=', change.id).execute();
  const error_json = JSON.stringify({
    code: 'REVISION_CONFLICT',
    message: 'Somebody changed it.',
    details: {},
  });
  const yesterday = '2026-11-19T10:00:00.000Z';
  await set({ status: 'conflicted', error_json, execute_at: yesterday });
  expect((await read('viewer')).failed_changes).toEqual({
    total: 1,
    first: [
      {
        id: change.id,
        flag_id: flag.id,
        flag_key: 'late',
        flag_name: flag.name,
        environment_id: production,
        execute_at: yesterday,
        status: 'conflicted',
        message: 'Somebody changed it.',
      },
    ],
  });
  await set({ execute_at: '2026-11-10T10:00:00.000Z' });
  expect((await read()).failed_changes.total).toBe(0);
});

test('other tenants cannot read it', async () => {
  const stranger = server.withToken((await addTenant(server)).token);
  expect(await codeOf(stranger.projects.attention(server.projectId, {}))).toBe('PROJECT_NOT_FOUND');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, type FlagBody, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let api: Api;
let production: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  ({ production } = server.environments);
});
afterAll(() => server.close());

const create = async (key: string, more: Partial<FlagBody> = {}) =>
  (await api.flags.create(booleanFlag(key, more))).id;

const historyOf = async (id: string) => (await api.flags.history(id)).map(({ action }) => action);

/** The keys of the flags that SDKs receive. */
async function servedKeys(): Promise<string[]> {
  const { key } = await server.as('admin').apiKeys.create(production, { name: 'k' });
  return (await server.withKey(key!).dataPlane.ruleset()).flags.map((flag) => flag.key);
}

test('a draft is in no ruleset until it is activated', async () => {
  const id = await create('drafted', { draft: true });
  await api.flags.toggle(id, true);
  expect(await servedKeys()).not.toContain('drafted');
  expect(await api.flags.activate(id)).toMatchObject({ status: 'active', enabled: true });
  expect(await servedKeys()).toContain('drafted');
  expect(await refused(api.flags.activate(id))).toMatchObject({
    code: 'FLAG_STATUS_CONFLICT',
    details: { status: 'active', allowed: ['draft'] },
  });
});

test('a flag can be marked as stale and as active again', async () => {
  const id = await create('staling');
  const stale = await api.flags.markStale(id, { comment: 'done with it' });
  expect(stale).toMatchObject({ status: 'stale', stale_reasons: ['manual'] });
  expect(stale.stale_since).toMatch(/^2026/);
  expect(await codeOf(api.flags.markStale(id))).toBe('FLAG_STATUS_CONFLICT');
  const past = await refused(api.flags.unmarkStale(id, { snooze_until: '2026-01-01T00:00:00Z' }));
  expect(past.details.fields[0]).toMatchObject({ field: 'snooze_until', code: 'range' });
  const active = await api.flags.unmarkStale(id, { snooze_until: '2027-01-01T00:00:00Z' });
  expect(active).toMatchObject({ status: 'active', stale_reasons: [], stale_since: null });
  expect(await codeOf(api.flags.unmarkStale(id))).toBe('FLAG_STATUS_CONFLICT');
  expect(await historyOf(id)).toEqual(['flag.reactivated', 'flag.marked_stale', 'flag.created']);
});

test.each([
  ['a new default', { default_variation: 'on' }],
  [
    'other variations',
    {
      variations: [
        { key: 'on', name: 'Yes', value: true },
        { key: 'off', name: 'No', value: false },
      ],
    },
  ],
])('%s makes a stale flag active again', async (name, change) => {
  const id = await create(`revived-by-${name.replaceAll(' ', '-')}`);
  await api.flags.markStale(id);
  await api.flags.update(id, change);
  expect(await api.flags.get(id)).toMatchObject({ status: 'active', stale_since: null });
  expect((await historyOf(id)).slice(0, 2).sort()).toEqual(['flag.reactivated', 'flag.updated']);
});

test('a stale flag stays stale when it is toggled', async () => {
  const id = await create('switched');
  await api.flags.markStale(id);
  await api.flags.toggle(id, true);
  expect(await api.flags.get(id)).toMatchObject({ status: 'stale', enabled: true });
  expect(await historyOf(id)).toEqual(['flag.toggled', 'flag.marked_stale', 'flag.created']);
});

test('a stale flag stays stale when only its name changes', async () => {
  const id = await create('renamed');
  await api.flags.markStale(id);
  await api.flags.update(id, { name: 'Renamed' });
  expect((await api.flags.get(id)).status).toBe('stale');
});

test('a restored flag is disabled in every environment', async () => {
  const id = await create('restored');
  await api.flags.toggle(id, true);
  expect(await codeOf(api.flags.restore(id))).toBe('FLAG_NOT_ARCHIVED');
  await api.flags.archive(id);
  expect((await api.flags.get(id)).archived_at).toMatch(/^2026/);
  const restored = await api.flags.restore(id);
  expect(restored).toMatchObject({ status: 'active', enabled: false, archived_at: null });
  const everywhere = await api.flags.environments(id);
  expect(everywhere.map(({ enabled }) => enabled)).toEqual([false, false, false]);
  expect((await historyOf(id))[0]).toBe('flag.restored');
});

test('an admin can delete an archived flag, and its key stays reserved', async () => {
  const id = await create('doomed');
  const admin = server.as('admin');
  const remove = (by: Api, confirm_key = 'doomed') => codeOf(by.flags.delete(id, { confirm_key }));
  expect(await remove(api)).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await remove(admin)).toBe('FLAG_NOT_ARCHIVED');
  await api.flags.archive(id);
  expect(await remove(admin, 'other')).toBe('VALIDATION_ERROR');
  expect(await remove(admin)).toBe('OK');
  expect(await codeOf(api.flags.get(id))).toBe('FLAG_NOT_FOUND');
  expect(await servedKeys()).not.toContain('doomed');
  const entries = await server.db
    .selectFrom('audit_entries')
    .select('action')
    .where('resource_id', '=', id)
    .execute();
  expect(entries.map((entry) => entry.action)).toEqual(['flag.created', 'flag.archived', 'flag.deleted']);
  const left = await server.db.selectFrom('flag_revisions').selectAll().where('flag_id', '=', id).execute();
  expect(left).toEqual([]);

  expect(await refused(api.flags.create(booleanFlag('doomed')))).toMatchObject({
    code: 'FLAG_KEY_CONFLICT',
    details: { reason: 'reserved' },
  });
  const reserved = await api.projects.listReservedKeys(server.projectId);
  expect(reserved).toMatchObject([{ key: 'doomed', flag_id: id }]);
  const release = (by: Api) => codeOf(by.projects.releaseKey(server.projectId, 'doomed'));
  expect(await release(api)).toBe('INSUFFICIENT_PERMISSIONS');
  expect(await release(admin)).toBe('OK');
  expect(await release(admin)).toBe('RESERVED_KEY_NOT_FOUND');
  expect(await codeOf(api.flags.create(booleanFlag('doomed')))).toBe('OK');
});

test('the audit log records where a restored flag was disabled, and all that a deletion removed', async () => {
  const id = await create('written-down');
  await api.flags.toggle(id, true);
  await api.flags.archive(id);
  await api.in(server.environments.development).flags.restore(id);
  const latest = async () => {
    const { changes_json } = await server.db
      .selectFrom('audit_entries')
      .select('changes_json')
      .where('resource_id', '=', id)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    return JSON.parse(changes_json);
  };
  expect(await latest()).toEqual({
    status: { from: 'archived', to: 'active' },
    environments: { from: { production: { enabled: true } }, to: { production: { enabled: false } } },
  });
  await api.flags.update(id, { default_variation: 'on' });
  await api.flags.archive(id);
  await server.as('admin').flags.delete(id, { confirm_key: 'written-down' });
  expect((await latest()).environments.from).toMatchObject({
    development: { default_variation: 'off' },
    production: { default_variation: 'on' },
  });
});

test('a flag that is a prerequisite of others cannot be deleted', async () => {
  const id = await create('needed');
  const needing = await create('needing');
  await api.flags.update(needing, { prerequisites: [{ flag_key: 'needed', variation: 'on' }] });
  await api.flags.archive(id);
  expect(await refused(server.as('admin').flags.delete(id, { confirm_key: 'needed' }))).toMatchObject({
    code: 'FLAG_HAS_DEPENDENTS',
    details: { dependents: [{ flag_key: 'needing' }] },
  });
});

test('deleting a flag requires a recent login', async () => {
  const id = await create('guarded');
  await api.flags.archive(id);
  server.advance(6 * 60 * 1000);
  const deletion = server.as('admin').flags.delete(id, { confirm_key: 'guarded' });
  expect(await codeOf(deletion)).toBe('REAUTHENTICATION_REQUIRED');
});

test('flag health counts the flags of a project by status and by stale reason', async () => {
  const project = await server.as('admin').projects.create({ key: 'health', name: 'Health' });
  const { flags } = api.in(project.default_environment_id!);
  const ids: string[] = [];
  for (const key of ['a', 'b', 'c', 'd']) ids.push((await flags.create(booleanFlag(key))).id);
  await flags.markStale(ids[0]!);
  await flags.archive(ids[1]!);
  const health = await api.projects.flagHealth(project.id);
  expect(health).toMatchObject({
    by_status: { draft: 0, active: 2, stale: 1, archived: 1 },
    by_reason: { manual: 1, not_evaluated: 0 },
    health_score: 67,
    oldest: [{ key: 'a' }, { key: 'c' }, { key: 'd' }],
  });
  expect(health.stale_ruleset_bytes).toBeGreaterThan(100);
});

test('flag health shows API keys unused for a month only to callers who may read keys', async () => {
  const project = await server.as('admin').projects.create({ key: 'keys', name: 'Keys' });
  const [environment, , live] = await api.environments.listOf(project.id);
  const days = (count: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + count * 86_400_000);
  const old = { created_at: days(-60).toISOString() };
  const create = async (name: string, more: object, where = environment!.id) => {
    const { id } = await server.as('admin').apiKeys.create(where, { name });
    await server.db.updateTable('api_keys').set(more).where('id', '=', id).execute();
    return id;
  };
  const forgotten = await create('forgotten', { ...old, last_used_at: days(-31).toISOString() });
  const never = await create('never', old);
  await create('used', { ...old, last_used_at: days(-29).toISOString() });
  await create('young', { last_used_at: null });
  await create('revoked', { ...old, revoked_at: days(-1).toISOString() });
  await create('expired', { ...old, expires_at: days(-1).toISOString() });
  await create('of another project', old, production);
  const inProduction = await create('in production', old, live!.id);
  const unused = async (role: 'admin' | 'editor' | 'viewer') =>
    (await server.as(role).projects.flagHealth(project.id)).unused_keys;
  const where = { id: environment!.id, key: environment!.key };
  expect(await unused('editor')).toEqual([
    { id: never, name: 'never', environment: where, last_used_at: null },
    { id: forgotten, name: 'forgotten', environment: where, last_used_at: days(-31).toISOString() },
  ]);
  expect((await unused('admin'))?.map(({ id }) => id)).toEqual([never, inProduction, forgotten]);
  expect(await unused('viewer')).toBeNull();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let production: string;
beforeAll(async () => {
  server = await startServer();
  ({ production } = server.environments);
});
afterAll(() => server.close());

const at = (id: string, path = '') => `/flags/${id}${path}?environment_id=${production}`;
const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object, token = server.tokens.editor) =>
  server.call({ method, url, token, body });

async function create(key: string, more: object = {}) {
  const { body } = await send('POST', `/flags?environment_id=${production}`, booleanFlag(key, more));
  return body.data.id as string;
}
const read = async (id: string) =>
  (await server.call({ url: at(id), token: server.tokens.viewer })).body.data;
const step = (id: string, name: string, body: object = {}) => send('POST', at(id, `/${name}`), body);

async function actions(id: string): Promise<string[]> {
  const { body } = await server.call({ url: at(id, '/history'), token: server.tokens.viewer });
  return body.data.map((entry: { action: string }) => entry.action);
}

async function ruleset(): Promise<string[]> {
  const key = await send('POST', `/environments/${production}/api-keys`, { name: 'k' }, server.tokens.admin);
  const headers = { 'x-api-key': key.body.data.key };
  const { body } = await server.call({ url: '/sdk/ruleset', headers });
  return body.data.flags.map((flag: { key: string }) => flag.key);
}

test('keeps a draft out of every ruleset until it is activated', async () => {
  const id = await create('drafted', { draft: true });
  await step(id, 'toggle', { enabled: true });
  expect(await ruleset()).not.toContain('drafted');
  const active = await step(id, 'activate');
  expect(active.body.data).toMatchObject({ status: 'active', enabled: true });
  expect(await ruleset()).toContain('drafted');
  const again = await step(id, 'activate');
  expect([again.status, again.body.error]).toMatchObject([
    409,
    { code: 'FLAG_STATUS_CONFLICT', details: { status: 'active', allowed: ['draft'] } },
  ]);
});

test('marks a flag as stale and back, serving the same all the time', async () => {
  const id = await create('staling');
  const stale = await step(id, 'mark-stale', { comment: 'done with it' });
  expect(stale.body.data).toMatchObject({ status: 'stale', stale_reasons: ['manual'] });
  expect(stale.body.data.stale_since).toMatch(/^2026/);
  expect((await step(id, 'mark-stale')).body.error.code).toBe('FLAG_STATUS_CONFLICT');
  const past = await step(id, 'unmark-stale', { snooze_until: '2026-01-01T00:00:00Z' });
  expect(past.body.error.details.fields[0]).toMatchObject({ field: 'snooze_until', code: 'range' });
  const back = await step(id, 'unmark-stale', { snooze_until: '2027-01-01T00:00:00Z' });
  expect(back.body.data).toMatchObject({ status: 'active', stale_reasons: [], stale_since: null });
  expect((await step(id, 'unmark-stale')).body.error.code).toBe('FLAG_STATUS_CONFLICT');
  expect(await actions(id)).toEqual(['flag.reactivated', 'flag.marked_stale', 'flag.created']);
});

test.each([
  ['a new default', (id: string) => send('PUT', at(id), { default_variation: 'on' }), 'flag.updated'],
  [
    'other variations',
    (id: string) =>
      send('PUT', at(id), {
        variations: [
          { key: 'on', name: 'Yes', value: true },
          { key: 'off', name: 'No', value: false },
        ],
      }),
    'flag.updated',
  ],
])('makes a stale flag active again by %s', async (name, change, action) => {
  const id = await create(`revived-by-${name.replaceAll(' ', '-')}`);
  await step(id, 'mark-stale');
  await change(id);
  expect(await read(id)).toMatchObject({ status: 'active', stale_since: null });
  expect((await actions(id)).slice(0, 2).sort()).toEqual(['flag.reactivated', action].sort());
});

test('leaves a stale flag stale when it is switched, as a toggle changes no status', async () => {
  const id = await create('switched');
  await step(id, 'mark-stale');
  await step(id, 'toggle', { enabled: true });
  expect(await read(id)).toMatchObject({ status: 'stale', enabled: true });
  expect(await actions(id)).toEqual(['flag.toggled', 'flag.marked_stale', 'flag.created']);
});

test('leaves a stale flag stale when only its name changes', async () => {
  const id = await create('renamed');
  await step(id, 'mark-stale');
  await send('PUT', at(id), { name: 'Renamed' });
  expect((await read(id)).status).toBe('stale');
});

test('restores an archived flag switched off everywhere', async () => {
  const id = await create('restored');
  await step(id, 'toggle', { enabled: true });
  const early = await step(id, 'restore');
  expect([early.status, early.body.error.code]).toEqual([409, 'FLAG_NOT_ARCHIVED']);
  await send('DELETE', at(id));
  expect((await read(id)).archived_at).toMatch(/^2026/);
  const { body } = await step(id, 'restore');
  expect(body.data).toMatchObject({ status: 'active', enabled: false, archived_at: null });
  const everywhere = await server.call({ url: `/flags/${id}/environments`, token: server.tokens.viewer });
  expect(everywhere.body.data.map((flag: { enabled: boolean }) => flag.enabled)).toEqual([
    false,
    false,
    false,
  ]);
  expect((await actions(id))[0]).toBe('flag.restored');
});

test('deletes an archived flag for good, for admins, and reserves its key', async () => {
  const id = await create('doomed');
  const { admin, editor } = server.tokens;
  const remove = (token: string, confirm = 'doomed') =>
    send('DELETE', `/flags/${id}/permanent?confirm_key=${confirm}`, undefined, token);
  expect((await remove(editor)).status).toBe(403);
  expect((await remove(admin)).body.error.code).toBe('FLAG_NOT_ARCHIVED');
  await send('DELETE', at(id));
  expect((await remove(admin, 'other')).status).toBe(400);
  expect((await remove(admin)).status).toBe(204);
  expect((await server.call({ url: at(id), token: editor })).body.error.code).toBe('FLAG_NOT_FOUND');
  expect(await ruleset()).not.toContain('doomed');
  const entries = await server.db
    .selectFrom('audit_entries')
    .select('action')
    .where('resource_id', '=', id)
    .execute();
  expect(entries.map((entry) => entry.action)).toEqual(['flag.created', 'flag.archived', 'flag.deleted']);
  const left = await server.db.selectFrom('flag_revisions').selectAll().where('flag_id', '=', id).execute();
  expect(left).toEqual([]);

  const again = await send('POST', `/flags?environment_id=${production}`, booleanFlag('doomed'));
  expect([again.status, again.body.error]).toMatchObject([
    409,
    { code: 'FLAG_KEY_CONFLICT', details: { reason: 'reserved' } },
  ]);
  const reserved = await server.call({ url: `/projects/${server.projectId}/reserved-keys`, token: editor });
  expect(reserved.body.data).toMatchObject([{ key: 'doomed', flag_id: id }]);
  const url = `/projects/${server.projectId}/reserved-keys/doomed/release`;
  expect((await send('POST', url)).status).toBe(403);
  expect((await send('POST', url, undefined, admin)).status).toBe(204);
  expect((await send('POST', url, undefined, admin)).body.error.code).toBe('RESERVED_KEY_NOT_FOUND');
  expect((await send('POST', `/flags?environment_id=${production}`, booleanFlag('doomed'))).status).toBe(201);
});

test('writes down where a flag is switched off as it is restored, and all that goes when it is deleted', async () => {
  const { development } = server.environments;
  const inDevelopment = (id: string, path = '') => `/flags/${id}${path}?environment_id=${development}`;
  const id = await create('written-down');
  await step(id, 'toggle', { enabled: true });
  await send('DELETE', at(id));
  await send('POST', inDevelopment(id, '/restore'), {});
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
  await send('PUT', at(id), { default_variation: 'on' });
  await send('DELETE', at(id));
  const confirmed = `/flags/${id}/permanent?confirm_key=written-down`;
  await send('DELETE', confirmed, undefined, server.tokens.admin);
  expect((await latest()).environments.from).toMatchObject({
    development: { default_variation: 'off' },
    production: { default_variation: 'on' },
  });
});

test('does not delete a flag that others wait for', async () => {
  const id = await create('needed');
  const waiting = await create('needing');
  await send('PUT', at(waiting), { prerequisites: [{ flag_key: 'needed', variation: 'on' }] });
  await send('DELETE', at(id));
  const url = `/flags/${id}/permanent?confirm_key=needed`;
  const { status, body } = await send('DELETE', url, undefined, server.tokens.admin);
  expect([status, body.error.code, body.error.details.dependents[0].flag_key]).toEqual([
    409,
    'FLAG_HAS_DEPENDENTS',
    'needing',
  ]);
});

test('wants the password lately given of whoever deletes for good', async () => {
  const id = await create('guarded');
  await send('DELETE', at(id));
  server.advance(6 * 60 * 1000);
  const url = `/flags/${id}/permanent?confirm_key=guarded`;
  const late = await send('DELETE', url, undefined, server.tokens.admin);
  expect([late.status, late.body.error.code]).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
});

test('counts a project by status and by reason', async () => {
  const project = await send('POST', '/projects', { key: 'health', name: 'Health' }, server.tokens.admin);
  const { id: projectId, default_environment_id: environment } = project.body.data;
  const ids: string[] = [];
  for (const key of ['a', 'b', 'c', 'd']) {
    const { body } = await send('POST', `/flags?environment_id=${environment}`, booleanFlag(key));
    ids.push(body.data.id);
  }
  const query = `?environment_id=${environment}`;
  await send('POST', `/flags/${ids[0]}/mark-stale${query}`, {});
  await send('DELETE', `/flags/${ids[1]}${query}`);
  const { body } = await server.call({
    url: `/projects/${projectId}/flag-health`,
    token: server.tokens.viewer,
  });
  expect(body.data).toMatchObject({
    by_status: { draft: 0, active: 2, stale: 1, archived: 1 },
    by_reason: { manual: 1, not_evaluated: 0 },
    health_score: 67,
    oldest: [{ key: 'a' }, { key: 'c' }, { key: 'd' }],
  });
  expect(body.data.stale_ruleset_bytes).toBeGreaterThan(100);
});

test('names the keys of a project that nothing has used for a month, to whoever may see keys', async () => {
  const { admin, editor, viewer } = server.tokens;
  const project = (await send('POST', '/projects', { key: 'keys', name: 'Keys' }, admin)).body.data;
  const environments = await server.call({ url: `/projects/${project.id}/environments`, token: viewer });
  const [environment, , live] = environments.body.data;
  const days = (count: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + count * 86_400_000);
  const old = { created_at: days(-60).toISOString() };
  const make = async (name: string, more: object, where = environment.id) => {
    const { body } = await send('POST', `/environments/${where}/api-keys`, { name }, admin);
    await server.db.updateTable('api_keys').set(more).where('id', '=', body.data.id).execute();
    return body.data.id as string;
  };
  const forgotten = await make('forgotten', { ...old, last_used_at: days(-31).toISOString() });
  const never = await make('never', old);
  await make('used', { ...old, last_used_at: days(-29).toISOString() });
  await make('young', { last_used_at: null });
  await make('revoked', { ...old, revoked_at: days(-1).toISOString() });
  await make('expired', { ...old, expires_at: days(-1).toISOString() });
  await make('of another project', old, production);
  const inProduction = await make('in production', old, live.id);
  const unused = async (token: string) =>
    (await server.call({ url: `/projects/${project.id}/flag-health`, token })).body.data.unused_keys;
  const where = { id: environment.id, key: environment.key };
  expect(await unused(editor)).toEqual([
    { id: never, name: 'never', environment: where, last_used_at: null },
    { id: forgotten, name: 'forgotten', environment: where, last_used_at: days(-31).toISOString() },
  ]);
  const ids = (await unused(admin)).map((one: { id: string }) => one.id);
  expect(ids).toEqual([never, inProduction, forgotten]);
  expect(await unused(viewer)).toBeNull();
});

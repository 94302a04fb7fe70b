import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const MINUTE_MS = 60_000;
const inMinutes = (minutes: number): string => new Date(START + minutes * MINUTE_MS).toISOString();

let server: TestServer;
let flagId: string;
let environmentId: string;

beforeEach(async () => {
  server = await startServer();
  environmentId = server.environments.production;
  flagId = (await made('POST', `/flags?environment_id=${environmentId}`, booleanFlag('sale'))).id;
});
afterEach(() => server.close());

function as(role: 'admin' | 'editor', method: string, url: string, body?: unknown) {
  return server.call({ method: method as 'GET', url, token: server.tokens[role], body });
}
async function made(method: string, url: string, body?: unknown) {
  const answer = await as('editor', method, url, body);
  expect([url, answer.body?.error]).toEqual([url, undefined]);
  return answer.body?.data;
}
const enable = (enabled = true) => [{ op: 'set_enabled', enabled }];
const plan = (minutes: number, more: object = {}) =>
  made('POST', `/flags/${flagId}/scheduled-changes`, {
    environment_id: environmentId,
    execute_at: inMinutes(minutes),
    changes: enable(),
    ...more,
  });
const get = (id: string) => made('GET', `/scheduled-changes/${id}`);
const flag = () => made('GET', `/flags/${flagId}?environment_id=${environmentId}`);
/** Lets the clock show so many minutes after ten, and the background work. */
async function runAt(minutes: number) {
  server.advance(minutes * MINUTE_MS - elapsed);
  elapsed = minutes * MINUTE_MS;
  await server.app.runBackground();
}
let elapsed = 0;
beforeEach(() => {
  elapsed = 0;
});

test('plans a change and executes it once its time has come', async () => {
  const planned = await plan(10, { comment: 'The sale begins.', timezone: 'Europe/Berlin' });
  expect(planned).toMatchObject({
    id: expect.stringMatching(/^sch_/),
    status: 'pending',
    execute_at: inMinutes(10),
    on_conflict: 'fail',
    on_freeze: 'defer',
    created_by: { email: 'editor@example.com' },
    executed_at: null,
    error: null,
  });
  await runAt(9);
  expect((await flag()).enabled).toBe(false);
  await runAt(11);
  expect((await flag()).enabled).toBe(true);
  expect(await get(planned.id)).toMatchObject({ status: 'executed', executed_at: expect.any(String) });
});

test('writes the author, the way and the comment down', async () => {
  const planned = await plan(10, { comment: 'The sale begins.' });
  await runAt(11);
  const { body } = await as('admin', 'GET', '/audit-log?per_page=2');
  expect(body.data.map((entry: { action: string }) => entry.action)).toEqual([
    'scheduled_change.executed',
    'flag.updated',
  ]);
  expect(body.data[1]).toMatchObject({
    actor: { email: 'editor@example.com', kind: 'user' },
    via: 'schedule',
    request_id: planned.id,
    comment: 'The sale begins.',
    changes: { enabled: { from: false, to: true } },
  });
});

test('executes at most once, however many try at the same time', async () => {
  const planned = await plan(10, { changes: [{ op: 'add_tag', tag: 'sale' }] });
  server.advance(11 * MINUTE_MS);
  const execute = () => as('admin', 'POST', `/scheduled-changes/${planned.id}/execute`, {});
  const answers = await Promise.all([
    server.app.runBackground(),
    server.app.runBackground(),
    ...Array.from({ length: 5 }, execute),
  ]);
  const statuses = answers.flatMap((answer) => (answer ? [answer.status] : []));
  expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  const { body } = await as('admin', 'GET', '/audit-log?action=scheduled_change.executed');
  expect(body.meta.total).toBe(1);
  expect((await as('admin', 'GET', '/audit-log?action=flag.updated')).body.meta.total).toBe(1);
});

test('is executed once whatever keys it is asked with, and a repeated request gets its answer', async () => {
  const execute = ({ id }: { id: string }, key: string) =>
    server.call({
      method: 'POST',
      url: `/scheduled-changes/${id}/execute`,
      token: server.tokens.editor,
      body: {},
      headers: { 'idempotency-key': key },
    });
  const done = await plan(10);
  const first = await execute(done, 'first');
  expect(first.status).toBe(200);
  await made('POST', `/flags/${flagId}/toggle?environment_id=${environmentId}`, { enabled: false });
  expect(await execute(done, 'first')).toMatchObject({ status: 200, body: first.body });

  const cancelled = await plan(20);
  await made('DELETE', `/scheduled-changes/${cancelled.id}`);
  for (const [one, status] of [
    [done, 'executed'],
    [cancelled, 'cancelled'],
  ]) {
    const { body } = await execute(one, 'second');
    expect(body.error).toMatchObject({ code: 'SCHEDULED_CHANGE_DONE', details: { status } });
  }
  expect((await flag()).enabled).toBe(false);
});

test('catches up in the order of the times after a downtime', async () => {
  await plan(30, { changes: [{ op: 'set_name', name: 'third' }] });
  await plan(10, { changes: [{ op: 'set_name', name: 'first' }] });
  await plan(20, { changes: [{ op: 'set_name', name: 'second' }] });
  await runAt(600);
  expect((await flag()).name).toBe('third');
  const { body } = await as('admin', 'GET', '/audit-log?action=flag.updated');
  const names = body.data.map((entry: { changes: { name: { to: string } } }) => entry.changes.name.to);
  expect(names).toEqual(['third', 'second', 'first']);
});

test('asks for the rights that the author has then', async () => {
  const planned = await plan(10);
  await server.db.updateTable('memberships').set({ role: 'viewer' }).where('role', '=', 'editor').execute();
  await runAt(11);
  const { body } = await as('admin', 'GET', `/scheduled-changes/${planned.id}`);
  expect(body.data).toMatchObject({ status: 'failed', error: { code: 'INSUFFICIENT_PERMISSIONS' } });
  const after = await as('admin', 'GET', `/flags/${flagId}?environment_id=${environmentId}`);
  expect(after.body.data.enabled).toBe(false);
});

test('does nothing for whoever has left', async () => {
  const planned = await plan(10);
  const { body } = await as('admin', 'GET', `/organizations/${server.organizationId}/members`);
  const editor = body.data.find((one: { role: string }) => one.role === 'editor');
  await as('admin', 'DELETE', `/organizations/${server.organizationId}/members/${editor.id}`);
  await runAt(11);
  const after = await as('admin', 'GET', `/scheduled-changes/${planned.id}`);
  expect(after.body.data).toMatchObject({ status: 'failed', error: { code: 'INSUFFICIENT_PERMISSIONS' } });
});

test('waits for the end of a freeze, and lets nothing overtake it', async () => {
  const window = await as('admin', 'POST', '/freeze-windows', {
    name: 'peak',
    starts_at: inMinutes(5),
    ends_at: inMinutes(60),
  });
  const first = await plan(10, { changes: [{ op: 'set_default', variation: 'on' }] });
  const second = await plan(20, { changes: [{ op: 'add_tag', tag: 'after' }] });
  await runAt(30);
  expect(await get(first.id)).toMatchObject({
    status: 'blocked',
    error: { code: 'FREEZE_WINDOW_ACTIVE', details: { freeze_window_id: window.body.data.id } },
  });
  expect((await get(second.id)).status).toBe('pending');
  await runAt(45);
  await runAt(62);
  expect((await get(first.id)).status).toBe('executed');
  expect((await get(second.id)).status).toBe('executed');
  const blocked = await as('admin', 'GET', '/audit-log?action=scheduled_change.blocked');
  expect(blocked.body.meta.total).toBe(1);
});

test('says which window holds it now, and goes on when the clock is set back', async () => {
  const freeze = async (name: string, from: number, to: number) =>
    (
      await as('admin', 'POST', '/freeze-windows', {
        name,
        starts_at: inMinutes(from),
        ends_at: inMinutes(to),
      })
    ).body.data.id;
  await freeze('first', 5, 20);
  const second = await freeze('second', 15, 600);
  const planned = await plan(10);
  const holder = async () => (await get(planned.id)).error.details.name;
  await runAt(11);
  expect(await holder()).toBe('first');
  const { revision } = await get(planned.id);
  await runAt(300);
  expect(await holder()).toBe('second');
  expect((await get(planned.id)).revision).toBe(revision);
  const entries = await as('admin', 'GET', '/audit-log?action=scheduled_change.blocked');
  expect(entries.body.meta.total).toBe(1);

  await as('admin', 'POST', `/freeze-windows/${second}/end`, { comment: 'over' });
  server.advance(-200 * MINUTE_MS);
  await server.app.runBackground();
  expect((await get(planned.id)).status).toBe('executed');
});

test('gives up in a freeze when it is told to', async () => {
  await as('admin', 'POST', '/freeze-windows', { name: 'peak', starts_at: inMinutes(5) });
  const planned = await plan(10, { on_freeze: 'fail' });
  await runAt(11);
  expect(await get(planned.id)).toMatchObject({ status: 'failed', error: { code: 'FREEZE_WINDOW_ACTIVE' } });
  await runAt(600);
  expect((await get(planned.id)).status).toBe('failed');
});

test('is in conflict with what others did, and not with what was planned before it', async () => {
  const { revision } = await flag();
  const first = await plan(10, { base_revision: revision });
  const second = await plan(20, {
    base_revision: revision,
    changes: [{ op: 'set_default', variation: 'on' }],
  });
  const third = await plan(30, { base_revision: revision, changes: enable(false) });
  await runAt(21);
  expect((await get(first.id)).status).toBe('executed');
  expect((await get(second.id)).status).toBe('executed');
  await made('PUT', `/flags/${flagId}?environment_id=${environmentId}`, { name: 'Renamed' });
  await runAt(31);
  expect(await get(third.id)).toMatchObject({ status: 'conflicted', error: { code: 'CHANGE_CONFLICT' } });
  expect((await flag()).enabled).toBe(true);

  await made('PATCH', `/scheduled-changes/${third.id}`, {
    execute_at: inMinutes(60),
    base_revision: (await flag()).revision,
  });
  await runAt(61);
  expect((await get(third.id)).status).toBe('executed');
  expect((await flag()).enabled).toBe(false);
});

test('follows its instructions on what is there, when it may', async () => {
  const { revision } = await flag();
  const rebased = await plan(10, { base_revision: revision, on_conflict: 'rebase' });
  const misfit = await plan(20, {
    base_revision: revision,
    on_conflict: 'rebase',
    changes: [{ op: 'remove_variation', variation: 'gone' }],
  });
  const forced = await plan(30, {
    base_revision: revision,
    on_conflict: 'force',
    changes: [{ op: 'remove_variation', variation: 'gone' }],
  });
  await made('PUT', `/flags/${flagId}?environment_id=${environmentId}`, { name: 'Renamed' });
  await runAt(31);
  expect((await get(rebased.id)).status).toBe('executed');
  expect((await get(misfit.id)).status).toBe('conflicted');
  expect((await get(forced.id)).status).toBe('failed');
});

test('fails on a flag that was archived meanwhile', async () => {
  const planned = await plan(10);
  await made('DELETE', `/flags/${flagId}?environment_id=${environmentId}`);
  await runAt(11);
  expect(await get(planned.id)).toMatchObject({ status: 'failed', error: { code: 'FLAG_ARCHIVED' } });
});

test('can be executed now, called off, and planned anew by whoever then answers for it', async () => {
  const now = await plan(10);
  const executed = await made('POST', `/scheduled-changes/${now.id}/execute`, {});
  expect(executed.status).toBe('executed');
  expect((await flag()).enabled).toBe(true);

  const cancelled = await plan(20, { changes: enable(false) });
  await made('DELETE', `/scheduled-changes/${cancelled.id}`);
  const moved = await plan(30, { changes: enable(false) });
  const patch = await as('admin', 'PATCH', `/scheduled-changes/${moved.id}`, { execute_at: inMinutes(50) });
  expect(patch.body.data).toMatchObject({ created_by: { email: 'admin@example.com' }, status: 'pending' });
  await runAt(40);
  expect((await flag()).enabled).toBe(true);
  expect((await get(cancelled.id)).status).toBe('cancelled');
  await runAt(51);
  expect((await flag()).enabled).toBe(false);

  for (const [method, suffix] of [
    ['POST', '/execute'],
    ['PATCH', ''],
    ['DELETE', ''],
  ] as const) {
    const answer = await as(
      'editor',
      method,
      `/scheduled-changes/${cancelled.id}${suffix}`,
      method === 'DELETE' ? undefined : {},
    );
    expect([answer.status, answer.body.error.code]).toEqual([409, 'SCHEDULED_CHANGE_DONE']);
  }
  const list = await made('GET', `/flags/${flagId}/scheduled-changes`);
  expect(list.map((one: { status: string }) => one.status)).toEqual(['executed', 'cancelled', 'executed']);
});

test('leaves in the log with whose rights it is executed, and why', async () => {
  const planned = await plan(10);
  await as('admin', 'PATCH', `/scheduled-changes/${planned.id}`, {
    timezone: 'Europe/Berlin',
    comment: 'later',
  });
  const { body } = await as('admin', 'GET', '/audit-log?action=scheduled_change.updated');
  expect(body.data[0].changes).toEqual({
    timezone: { from: 'UTC', to: 'Europe/Berlin' },
    comment: { from: null, to: 'later' },
    created_by: { from: planned.created_by.id, to: body.data[0].actor.id },
  });
});

test('answers a repeated request also when what was planned is done', async () => {
  const post = () =>
    server.call({
      method: 'POST',
      url: `/flags/${flagId}/scheduled-changes`,
      token: server.tokens.editor,
      headers: { 'idempotency-key': 'once' },
      body: { environment_id: environmentId, execute_at: inMinutes(10), changes: enable() },
    });
  const first = await post();
  expect(first.status).toBe(201);
  await runAt(11);
  await made('DELETE', `/flags/${flagId}?environment_id=${environmentId}`);
  expect(await post()).toMatchObject({ status: 201, body: first.body });
});

test('refuses to plan anew what cannot be followed, or without a time to come', async () => {
  const planned = await plan(10);
  const patch = (id: string, body: object) => as('editor', 'PATCH', `/scheduled-changes/${id}`, body);
  const misfit = await patch(planned.id, { changes: [{ op: 'set_default', variation: 'gone' }] });
  expect([misfit.status, misfit.body.error.code]).toEqual([422, 'DEFAULT_VARIATION_UNKNOWN']);
  expect(await get(planned.id)).toMatchObject({ changes: enable(), revision: 1 });

  const { revision } = await flag();
  const stale = await plan(20, { base_revision: revision, changes: [{ op: 'add_tag', tag: 'late' }] });
  await runAt(11);
  await made('PUT', `/flags/${flagId}?environment_id=${environmentId}`, { name: 'Renamed' });
  await runAt(21);
  expect((await get(stale.id)).status).toBe('conflicted');
  // Its time is over: pending again, it would be executed in the next second.
  const again = await patch(stale.id, { base_revision: null });
  expect(again.body.error.details.fields[0]).toMatchObject({ field: 'execute_at', code: 'range' });
  expect((await patch(stale.id, { base_revision: null, execute_at: inMinutes(40) })).status).toBe(200);
  await runAt(30);
  expect((await flag()).tags).toEqual([]);
  await runAt(41);
  expect((await flag()).tags).toEqual(['late']);
});

test('wants the comment when it is planned, where the environment wants one', async () => {
  await as('admin', 'PATCH', `/environments/${environmentId}`, { require_comment: true });
  const url = `/flags/${flagId}/scheduled-changes`;
  const body = { environment_id: environmentId, execute_at: inMinutes(10), changes: enable() };
  const refused = await as('editor', 'POST', url, body);
  expect([refused.status, refused.body.error.code]).toEqual([422, 'COMMENT_REQUIRED']);
  const planned = await plan(10, { comment: 'The sale begins.' });
  expect((await as('editor', 'POST', url, body)).body.error.code).toBe('COMMENT_REQUIRED');
  const emptied = await as('editor', 'PATCH', `/scheduled-changes/${planned.id}`, { comment: '' });
  expect(emptied.body.error.code).toBe('COMMENT_REQUIRED');
  const headers = { 'x-change-comment': 'The sale goes on.' };
  const token = server.tokens.editor;
  const second = await server.call({ method: 'POST', url, token, headers, body });
  expect(second.body.data.comment).toBe('The sale goes on.');
  await runAt(11);
  expect(await get(planned.id)).toMatchObject({ status: 'executed', error: null });
});

test('refuses what cannot be followed, too soon, or somebody else’s', async () => {
  const post = (body: object) =>
    as('editor', 'POST', `/flags/${flagId}/scheduled-changes`, {
      environment_id: environmentId,
      execute_at: inMinutes(10),
      changes: enable(),
      ...body,
    });
  const zone = await post({ timezone: 'Mars/X' });
  expect(zone.body.error?.details.fields[0].field).toBe('timezone');
  expect((await post({ execute_at: inMinutes(0.5) })).body.error.details.fields[0].field).toBe('execute_at');
  expect((await post({ changes: [{ op: 'set_default', variation: 'gone' }] })).status).toBe(422);
  expect((await post({ changes: [] })).status).toBe(400);
  expect((await post({ environment_id: 'env_x' })).body.error.code).toBe('ENVIRONMENT_NOT_FOUND');
  const unknown = await as('editor', 'GET', '/scheduled-changes/sch_x');
  expect(unknown.body.error.code).toBe('SCHEDULED_CHANGE_NOT_FOUND');
});

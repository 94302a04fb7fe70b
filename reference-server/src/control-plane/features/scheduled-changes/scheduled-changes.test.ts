import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

type ChangeBody = Body<'POST /flags/{flag_id}/scheduled-changes'>;

const START = Date.parse('2026-11-20T10:00:00.000Z');
const MINUTE_MS = 60_000;
const inMinutes = (minutes: number): string => new Date(START + minutes * MINUTE_MS).toISOString();

let server: TestServer;
let admin: Api;
/** Calls the API as the editor, who schedules the changes. */
let api: Api;
let flagId: string;
let environment_id: string;
/** By how much `runAt` has advanced the clock. */
let elapsedMs: number;

beforeEach(async () => {
  server = await startServer();
  [admin, api] = [server.as('admin'), server.as('editor')];
  environment_id = server.environments.production;
  flagId = (await api.flags.create(booleanFlag('sale'))).id;
  elapsedMs = 0;
});
afterEach(() => server.close());

const enable = (enabled = true) => [{ op: 'set_enabled' as const, enabled }];

/** Schedules a change for some minutes after 10:00; by default, the change enables the flag. */
const schedule = (minutes: number, more: Partial<ChangeBody> = {}, options: object = {}) =>
  api.scheduledChanges.create(
    flagId,
    { environment_id, execute_at: inMinutes(minutes), changes: enable(), ...more },
    options,
  );
const statusOf = async ({ id }: { id: string }) => (await api.scheduledChanges.get(id)).status;
const flag = () => api.flags.get(flagId);

/** Advances the clock to the given number of minutes after 10:00, and runs the background jobs. */
async function runAt(minutes: number) {
  server.advance(minutes * MINUTE_MS - elapsedMs);
  elapsedMs = minutes * MINUTE_MS;
  await server.app.runBackground();
}

test('lists the changes of all flags of a project, by environment and status', async () => {
  const other = await api.flags.create(booleanFlag('winter'));
  const late = await schedule(30);
  const { id } = await api.scheduledChanges.create(other.id, {
    environment_id: server.environments.staging,
    execute_at: inMinutes(20),
    changes: enable(),
  });
  const cancelled = await schedule(10);
  await api.scheduledChanges.cancel(cancelled.id);
  const idsOf = async (query: object) =>
    (await api.scheduledChanges.listOfProject(server.projectId, query)).map((one) => one.id);
  expect(await idsOf({})).toEqual([cancelled.id, id, late.id]);
  expect(await idsOf({ status: 'open' })).toEqual([id, late.id]);
  expect(await idsOf({ status: 'cancelled' })).toEqual([cancelled.id]);
  expect(await idsOf({ environment_id: server.environments.staging })).toEqual([id]);
  expect(await idsOf({ status: 'open', page: 2, per_page: 1 })).toEqual([late.id]);
  const [first] = await api.scheduledChanges.listOfProject(server.projectId, { status: 'open' });
  expect(first).toMatchObject({ flag_key: 'winter' });
  expect(await codeOf(api.scheduledChanges.listOfProject('prj_none'))).toBe('PROJECT_NOT_FOUND');
});

test('the audit log names the flag of a change', async () => {
  await schedule(10);
  const [entry] = await admin.audit.list({ action: 'scheduled_change.created' });
  expect(entry).toMatchObject({ resource: { type: 'scheduled_change', key: 'sale' } });
});

test('a change is executed when it is due', async () => {
  const planned = await schedule(10, { comment: 'The sale begins.', timezone: 'Europe/Berlin' });
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
  expect(await api.scheduledChanges.get(planned.id)).toMatchObject({
    status: 'executed',
    executed_at: expect.any(String),
  });
});

test('the audit entry of an execution names the author, the schedule and the comment', async () => {
  const planned = await schedule(10, { comment: 'The sale begins.' });
  await runAt(11);
  expect(await admin.audit.list({ per_page: 2 })).toMatchObject([
    { action: 'scheduled_change.executed' },
    {
      action: 'flag.updated',
      actor: { email: 'editor@example.com', kind: 'user' },
      via: 'schedule',
      request_id: planned.id,
      comment: 'The sale begins.',
      changes: { enabled: { from: false, to: true } },
    },
  ]);
});

test('concurrent executions execute a change once', async () => {
  const planned = await schedule(10, { changes: [{ op: 'add_tag', tag: 'sale' }] });
  server.advance(11 * MINUTE_MS);
  const [, , ...codes] = await Promise.all([
    server.app.runBackground(),
    server.app.runBackground(),
    ...Array.from({ length: 5 }, () => codeOf(admin.scheduledChanges.execute(planned.id, {}))),
  ]);
  for (const code of codes) expect(['OK', 'SCHEDULED_CHANGE_DONE']).toContain(code);
  expect(await admin.audit.list({ action: 'scheduled_change.executed' })).toHaveLength(1);
  expect(await admin.audit.list({ action: 'flag.updated' })).toHaveLength(1);
});

test('a change is executed only once: its Idempotency-Key replays the answer, and another key is refused', async () => {
  const execute = ({ id }: { id: string }, idempotencyKey: string) =>
    api.scheduledChanges.execute(id, {}, { idempotencyKey });
  const done = await schedule(10);
  const first = await execute(done, 'first').answer;
  expect(first.status).toBe(200);
  await api.flags.toggle(flagId, false);
  expect(await execute(done, 'first').answer).toMatchObject({ status: 200, body: first.body });

  const cancelled = await schedule(20);
  await api.scheduledChanges.cancel(cancelled.id);
  expect(await refused(execute(done, 'second'))).toMatchObject({
    code: 'SCHEDULED_CHANGE_DONE',
    details: { status: 'executed' },
  });
  expect(await refused(execute(cancelled, 'second'))).toMatchObject({
    code: 'SCHEDULED_CHANGE_DONE',
    details: { status: 'cancelled' },
  });
  expect((await flag()).enabled).toBe(false);
});

test('changes that were due during a downtime are executed in the order of their times', async () => {
  for (const [minutes, name] of [
    [30, 'third'],
    [10, 'first'],
    [20, 'second'],
  ] as const) {
    await schedule(minutes, { changes: [{ op: 'set_name', name }] });
  }
  await runAt(600);
  expect((await flag()).name).toBe('third');
  const entries = await admin.audit.list({ action: 'flag.updated' });
  expect(entries.map(({ changes }) => changes['name']!.to)).toEqual(['third', 'second', 'first']);
});

const FORBIDDEN = { status: 'failed', error: { code: 'INSUFFICIENT_PERMISSIONS' } };

test('a change is executed with the rights that its author has at that time', async () => {
  const { id } = await schedule(10);
  await server.db.updateTable('memberships').set({ role: 'viewer' }).where('role', '=', 'editor').execute();
  await runAt(11);
  expect(await admin.scheduledChanges.get(id)).toMatchObject(FORBIDDEN);
  expect((await admin.flags.get(flagId)).enabled).toBe(false);
});

test('a change of a removed author is not executed', async () => {
  const { id } = await schedule(10);
  const author = await api.auth.me();
  await admin.members.remove(server.organizationId, author.id);
  await runAt(11);
  expect(await admin.scheduledChanges.get(id)).toMatchObject(FORBIDDEN);
});

const freeze = (name: string, from: number, to?: number) =>
  admin.freezeWindows.create({
    name,
    starts_at: inMinutes(from),
    ...(to !== undefined && { ends_at: inMinutes(to) }),
  });

test('a change waits for the end of a freeze, and later changes of the flag wait for it', async () => {
  const window = await freeze('peak', 5, 60);
  const first = await schedule(10, { changes: [{ op: 'set_default', variation: 'on' }] });
  const second = await schedule(20, { changes: [{ op: 'add_tag', tag: 'after' }] });
  await runAt(30);
  expect(await api.scheduledChanges.get(first.id)).toMatchObject({
    status: 'blocked',
    error: { code: 'FREEZE_WINDOW_ACTIVE', details: { freeze_window_id: window.id } },
  });
  expect(await statusOf(second)).toBe('pending');
  await runAt(45);
  await runAt(62);
  expect([await statusOf(first), await statusOf(second)]).toEqual(['executed', 'executed']);
  expect(await admin.audit.list({ action: 'scheduled_change.blocked' })).toHaveLength(1);
});

test('a waiting change names the window that blocks it, and is executed even if the clock is set back', async () => {
  await freeze('first', 5, 20);
  const second = await freeze('second', 15, 600);
  const planned = await schedule(10);
  const read = () => api.scheduledChanges.get(planned.id);
  await runAt(11);
  const blocked = await read();
  expect(blocked.error).toMatchObject({ details: { name: 'first' } });
  await runAt(300);
  expect(await read()).toMatchObject({
    error: { details: { name: 'second' } },
    revision: blocked.revision,
  });
  expect(await admin.audit.list({ action: 'scheduled_change.blocked' })).toHaveLength(1);

  await admin.freezeWindows.end(second.id, { comment: 'over' });
  server.advance(-200 * MINUTE_MS);
  await server.app.runBackground();
  expect(await statusOf(planned)).toBe('executed');
});

test('with `on_freeze: fail`, a change that is due during a freeze gets the status `failed`', async () => {
  await freeze('peak', 5);
  const planned = await schedule(10, { on_freeze: 'fail' });
  await runAt(11);
  expect(await api.scheduledChanges.get(planned.id)).toMatchObject({
    status: 'failed',
    error: { code: 'FREEZE_WINDOW_ACTIVE' },
  });
  await runAt(600);
  expect(await statusOf(planned)).toBe('failed');
});

test('a change conflicts with changes since its base revision, except with earlier scheduled ones', async () => {
  const { revision: base_revision } = await flag();
  const first = await schedule(10, { base_revision });
  const second = await schedule(20, { base_revision, changes: [{ op: 'set_default', variation: 'on' }] });
  const third = await schedule(30, { base_revision, changes: enable(false) });
  await runAt(21);
  expect([await statusOf(first), await statusOf(second)]).toEqual(['executed', 'executed']);
  await api.flags.update(flagId, { name: 'Renamed' });
  await runAt(31);
  expect(await api.scheduledChanges.get(third.id)).toMatchObject({
    status: 'conflicted',
    error: { code: 'CHANGE_CONFLICT' },
  });
  expect((await flag()).enabled).toBe(true);

  await api.scheduledChanges.update(third.id, {
    execute_at: inMinutes(60),
    base_revision: (await flag()).revision,
  });
  await runAt(61);
  expect(await statusOf(third)).toBe('executed');
  expect((await flag()).enabled).toBe(false);
});

test('on_conflict can apply the instructions to the current flag', async () => {
  const { revision: base_revision } = await flag();
  const misfit = [{ op: 'remove_variation' as const, variation: 'gone' }];
  const rebased = await schedule(10, { base_revision, on_conflict: 'rebase' });
  const unfit = await schedule(20, { base_revision, on_conflict: 'rebase', changes: misfit });
  const forced = await schedule(30, { base_revision, on_conflict: 'force', changes: misfit });
  await api.flags.update(flagId, { name: 'Renamed' });
  await runAt(31);
  expect(await statusOf(rebased)).toBe('executed');
  expect(await statusOf(unfit)).toBe('conflicted');
  expect(await statusOf(forced)).toBe('failed');
});

test('a change to an archived flag fails', async () => {
  const { id } = await schedule(10);
  await api.flags.archive(flagId);
  await runAt(11);
  expect(await api.scheduledChanges.get(id)).toMatchObject({
    status: 'failed',
    error: { code: 'FLAG_ARCHIVED' },
  });
});

test('a change can be executed early, cancelled, or rescheduled by a new author', async () => {
  const { scheduledChanges } = api;
  const now = await schedule(10);
  expect((await scheduledChanges.execute(now.id, {})).status).toBe('executed');
  expect((await flag()).enabled).toBe(true);

  const cancelled = await schedule(20, { changes: enable(false) });
  await scheduledChanges.cancel(cancelled.id);
  const moved = await schedule(30, { changes: enable(false) });
  const updated = await admin.scheduledChanges.update(moved.id, { execute_at: inMinutes(50) });
  expect(updated).toMatchObject({ created_by: { email: 'admin@example.com' }, status: 'pending' });
  await runAt(40);
  expect((await flag()).enabled).toBe(true);
  expect(await statusOf(cancelled)).toBe('cancelled');
  await runAt(51);
  expect((await flag()).enabled).toBe(false);

  for (const call of [
    () => scheduledChanges.execute(cancelled.id, {}),
    () => scheduledChanges.update(cancelled.id, {}),
    () => scheduledChanges.cancel(cancelled.id),
  ]) {
    expect(await codeOf(call())).toBe('SCHEDULED_CHANGE_DONE');
  }
  const statuses = (await scheduledChanges.list(flagId)).map(({ status }) => status);
  expect(statuses).toEqual(['executed', 'cancelled', 'executed']);
});

test('a failed or conflicted change is executed by hand, and stays as it was when that is refused', async () => {
  const { execute, get } = api.scheduledChanges;
  const { revision } = await flag();
  const stale = await schedule(10, { base_revision: revision, changes: [{ op: 'add_tag', tag: 'late' }] });
  await api.flags.update(flagId, { name: 'Renamed' });
  await runAt(11);
  expect(await statusOf(stale)).toBe('conflicted');
  expect(await codeOf(execute(stale.id, {}))).toBe('CHANGE_CONFLICT');
  expect(await get(stale.id)).toMatchObject({ status: 'conflicted', error: { code: 'CHANGE_CONFLICT' } });
  expect(await execute(stale.id, { on_conflict: 'rebase' })).toMatchObject({
    status: 'executed',
    on_conflict: 'fail',
    error: null,
  });
  expect((await flag()).tags).toEqual(['late']);
  expect(await codeOf(execute(stale.id, {}))).toBe('SCHEDULED_CHANGE_DONE');
});

test('the audit log records the new author and the new comment of a rescheduled change', async () => {
  const planned = await schedule(10);
  await admin.scheduledChanges.update(planned.id, { timezone: 'Europe/Berlin', comment: 'later' });
  const [entry] = await admin.audit.list({ action: 'scheduled_change.updated' });
  expect(entry!.changes).toEqual({
    timezone: { from: 'UTC', to: 'Europe/Berlin' },
    comment: { from: null, to: 'later' },
    created_by: { from: planned.created_by.id, to: entry!.actor.id },
  });
});

test('a repeated request to schedule a change gets the first answer even after the change was executed', async () => {
  const create = () => schedule(10, {}, { idempotencyKey: 'once' }).answer;
  const first = await create();
  expect(first.status).toBe(201);
  await runAt(11);
  await api.flags.archive(flagId);
  expect(await create()).toMatchObject({ status: 201, body: first.body });
});

test('rescheduling needs valid instructions and a time in the future', async () => {
  const { update } = api.scheduledChanges;
  const planned = await schedule(10);
  const misfit = update(planned.id, { changes: [{ op: 'set_default', variation: 'gone' }] });
  expect(await codeOf(misfit)).toBe('DEFAULT_VARIATION_UNKNOWN');
  expect(await api.scheduledChanges.get(planned.id)).toMatchObject({ changes: enable(), revision: 1 });

  const { revision } = await flag();
  const stale = await schedule(20, { base_revision: revision, changes: [{ op: 'add_tag', tag: 'late' }] });
  await runAt(11);
  await api.flags.update(flagId, { name: 'Renamed' });
  await runAt(21);
  expect(await statusOf(stale)).toBe('conflicted');
  // If the change were pending again with a time in the past, it would be executed within a second.
  const { details } = await refused(update(stale.id, { base_revision: null }));
  expect(details.fields[0]).toMatchObject({ field: 'execute_at', code: 'range' });
  expect(await codeOf(update(stale.id, { base_revision: null, execute_at: inMinutes(40) }))).toBe('OK');
  await runAt(30);
  expect((await flag()).tags).toEqual([]);
  await runAt(41);
  expect((await flag()).tags).toEqual(['late']);
});

test('an environment with require_comment requires the comment when a change is scheduled', async () => {
  await admin.environments.update(environment_id, { require_comment: true });
  expect(await codeOf(schedule(10))).toBe('COMMENT_REQUIRED');
  const planned = await schedule(10, { comment: 'The sale begins.' });
  const emptied = api.scheduledChanges.update(planned.id, { comment: '' });
  expect(await codeOf(emptied)).toBe('COMMENT_REQUIRED');
  const byHeader = await schedule(10, {}, { comment: 'The sale goes on.' });
  expect(byHeader.comment).toBe('The sale goes on.');
  await runAt(11);
  expect(await api.scheduledChanges.get(planned.id)).toMatchObject({ status: 'executed', error: null });
});

test('unknown time zones and environments, times that are too soon, and invalid instructions are refused', async () => {
  const fieldOf = async (call: Promise<unknown>) => (await refused(call)).details.fields[0].field;
  expect(await fieldOf(schedule(10, { timezone: 'Mars/X' }))).toBe('timezone');
  expect(await fieldOf(schedule(0.5))).toBe('execute_at');
  expect(await fieldOf(schedule(10, { changes: [] }))).toBe('changes');
  const misfit = schedule(10, { changes: [{ op: 'set_default', variation: 'gone' }] });
  expect(await codeOf(misfit)).toBe('DEFAULT_VARIATION_UNKNOWN');
  expect(await codeOf(schedule(10, { environment_id: 'env_x' }))).toBe('ENVIRONMENT_NOT_FOUND');
  expect(await codeOf(api.scheduledChanges.get('sch_x'))).toBe('SCHEDULED_CHANGE_NOT_FOUND');
});

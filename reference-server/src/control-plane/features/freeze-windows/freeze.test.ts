import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

type Window = Body<'POST /freeze-windows'>;

const HOUR_MS = 60 * 60 * 1000;

let server: TestServer;
/** Calls the API as the admin, in production, which the windows freeze. */
let api: Api;
/** Calls the API as the admin, in development, which the windows do not freeze. */
let development: Api;
let flagId: string;
let segmentId: string;

beforeEach(async () => {
  server = await startServer();
  api = server.as('admin');
  development = api.in(server.environments.development);
  flagId = (await api.flags.create(booleanFlag('checkout'))).id;
  segmentId = (await api.segments.create(server.projectId, { key: 'staff', conditions: [] })).id;
});
afterEach(() => server.close());

const freeze = (more: Partial<Window> = {}) =>
  api.freezeWindows.create({
    name: 'Black Friday',
    scope: { environment_types: ['production'] },
    ends_at: '2026-11-30T23:59:00Z',
    ...more,
  });

/** The outcome of a toggle: `OK`, or the code of the refusal. */
const toggle = (enabled: boolean, by = api) => codeOf(by.flags.toggle(flagId, enabled));
const update = (body: Body<'PUT /flags/{flag_id}'>, by = api) => codeOf(by.flags.update(flagId, body));
const BLOCKED = 'FREEZE_WINDOW_ACTIVE';

test('a window allows changes in other environments, changes to drafts and names, and changes without effect', async () => {
  await freeze();
  expect(await toggle(true, development)).toBe('OK');
  expect(await update({ name: 'Renamed', description: 'x', tags: ['a'] })).toBe('OK');
  expect(await toggle(false)).toBe('OK');
  const draft = development.flags.create(booleanFlag('draft', { draft: true }));
  expect(await codeOf(draft)).toBe('OK');
});

test('a window blocks changes that are written between its first millisecond and its last', async () => {
  const starts = new Date(Date.parse('2026-11-20T10:00:00.000Z') + 60_000).toISOString();
  const ends = new Date(Date.parse(starts) + 60_000).toISOString();
  await freeze({ starts_at: starts, ends_at: ends });
  expect(await toggle(true)).toBe('OK');
  server.advance(60_000);
  expect(await toggle(false)).toBe(BLOCKED);
  server.advance(60_000);
  expect(await toggle(false)).toBe('OK');
});

test('a dry run shows that a window would block the change', async () => {
  await freeze();
  const { plan } = await api.dryRun.flags.toggle(flagId, true);
  expect(plan[0]!.gate).toMatchObject({ allowed: false, code: BLOCKED });
});

test('a window allows turning a kill switch off', async () => {
  await update({ classification: 'ops_killswitch' });
  await toggle(true);
  await freeze();
  expect(await toggle(false)).toBe('OK');
  expect(await toggle(true)).toBe(BLOCKED);
});

test('allow: rollout_decrease permits lower rollouts of a rule that is otherwise unchanged', async () => {
  const rule = { priority: 1, name: 'r', conditions: [] };
  const rollOut = (percentage: number, more: object = {}) =>
    api.flags.update(flagId, {
      targeting_rules: [{ ...rule, ...more, percentage_rollout: [{ variation: 'on', percentage }] }],
    });
  const [{ id } = { id: '' }] = (await rollOut(40)).targeting_rules;
  await freeze({ allow: ['disable', 'rollout_decrease'] });
  expect(await codeOf(rollOut(41, { id }))).toBe(BLOCKED);
  expect(await codeOf(rollOut(30, { id, priority: 2 }))).toBe(BLOCKED);
  expect(await codeOf(rollOut(30, { id }))).toBe('OK');
  expect(await codeOf(rollOut(40, { id }))).toBe(BLOCKED);
});

test('a window can select flags by tag, and blocks the removal of that tag', async () => {
  await update({ tags: ['payments'] });
  const window = await freeze({ scope: { tags: ['payments'] } });
  const free = await api.flags.create(booleanFlag('free'));
  expect(await codeOf(api.flags.toggle(free.id, true))).toBe('OK');
  expect(await toggle(true)).toBe(BLOCKED);
  expect(await update({ tags: [] })).toBe(BLOCKED);
  // A change in another environment cannot remove the tag either.
  await api.freezeWindows.end(window.id, { comment: 'narrower' });
  await freeze({ scope: { tags: ['payments'], environment_types: ['production'] } });
  expect(await update({ tags: [], default_variation: 'on' }, development)).toBe(BLOCKED);
  expect(await update({ default_variation: 'on' }, development)).toBe('OK');
  const { projectId } = server;
  expect(await codeOf(api.projects.deleteTag(projectId, 'payments'))).toBe(BLOCKED);
  expect(await codeOf(api.projects.renameTag(projectId, 'payments', { name: 'other' }))).toBe(BLOCKED);
  expect(await update({ name: 'Other' })).toBe('OK');
});

test('a window blocks turning a flag into a kill switch, and the reverse', async () => {
  await toggle(true);
  const window = await freeze();
  for (const by of [api, development])
    expect(await update({ classification: 'ops_killswitch' }, by)).toBe(BLOCKED);
  expect(await toggle(false)).toBe(BLOCKED);
  expect(await update({ classification: 'experiment' })).toBe('OK');

  await api.freezeWindows.end(window.id, { comment: 'for the next part' });
  expect(await update({ classification: 'ops_killswitch' })).toBe('OK');
  await freeze();
  expect(await update({ classification: null })).toBe(BLOCKED);
});

test('a window with blocked_actions blocks only those actions', async () => {
  await freeze({ blocked_actions: ['segment.*', 'flag.archived'] });
  expect(await toggle(true)).toBe('OK');
  expect(await codeOf(api.flags.archive(flagId))).toBe(BLOCKED);
  expect(await codeOf(api.segments.delete(segmentId))).toBe(BLOCKED);
});

test('the status shows whether an environment is frozen, and when that changes', async () => {
  await freeze({
    starts_at: '2026-11-01T16:00:00Z',
    ends_at: null,
    recurrence: { rule: 'FREQ=WEEKLY;BYDAY=FR', timezone: 'Europe/Berlin', duration_minutes: 60 },
  });
  expect(await api.freezeWindows.status()).toMatchObject({
    frozen: false,
    next_change_at: '2026-11-20T16:00:00.000Z',
  });
  server.advance(6 * HOUR_MS);
  expect(await api.freezeWindows.status()).toMatchObject({
    frozen: true,
    next_change_at: '2026-11-20T17:00:00.000Z',
    windows: [{ status: 'active', current_occurrence: { starts_at: '2026-11-20T16:00:00.000Z' } }],
  });
  expect(await development.freezeWindows.status()).toEqual({
    frozen: false,
    windows: [],
    next_change_at: null,
  });
});

test('an active window can be changed or ended only with a comment', async () => {
  const { freezeWindows } = api;
  const { id } = await freeze();
  expect(await codeOf(freezeWindows.update(id, { name: 'x' }))).toBe('COMMENT_REQUIRED');
  expect(await codeOf(api.unchecked.freezeWindows.end(id, {}))).toBe('COMMENT_REQUIRED');
  expect(await codeOf(freezeWindows.cancel(id))).toBe('RESOURCE_IN_USE');
  const ended = await freezeWindows.end(id, { comment: 'Sales are over.' });
  expect(ended).toMatchObject({ status: 'ended', ended_by: 'admin@example.com', current_occurrence: null });
  const late = freezeWindows.update(id, { name: 'x', comment: 'x' });
  expect(await codeOf(late)).toBe('FREEZE_WINDOW_OVER');
  const [entry] = await api.audit.list({ action: 'freeze_window.ended' });
  expect(entry).toMatchObject({
    comment: 'Sales are over.',
    actor: { email: 'admin@example.com' },
    // Webhooks send `changes`, so receivers learn who ended the window.
    changes: { ended_by: { from: null, to: 'admin@example.com' } },
  });

  const later = await freeze({ starts_at: '2026-12-24T00:00:00Z', ends_at: null });
  expect(await codeOf(freezeWindows.update(later.id, { name: 'Christmas' }))).toBe('OK');
  await freezeWindows.cancel(later.id);
  expect((await freezeWindows.get(later.id)).status).toBe('cancelled');
});

test('a window belongs to the organization of its author, and is invisible to others', async () => {
  const { organizationId } = server;
  const first = await freeze({ organization_id: organizationId });
  const second = await freeze();
  expect([first.organization_id, second.organization_id]).toEqual([organizationId, organizationId]);
  const tenant = await addTenant(server);
  for (const organization_id of [tenant.organizationId, 'org_NONE'])
    expect(await codeOf(freeze({ organization_id }))).toBe('ORGANIZATION_NOT_FOUND');
  expect(await server.withToken(tenant.token).freezeWindows.list()).toEqual([]);
});

test('an unknown field in a scope is refused, because ignoring it would freeze more than intended', async () => {
  const scope = { environment_type: ['production'] };
  const { id } = await freeze({ ends_at: null });
  const { freezeWindows } = api.unchecked;
  for (const call of [
    () => freezeWindows.create({ name: 'Friday', scope }),
    () => freezeWindows.update(id, { scope, comment: 'why' }),
  ]) {
    const { code, details } = await refused(call());
    expect(code).toBe('VALIDATION_ERROR');
    expect(details.fields).toEqual([
      { field: 'scope.environment_type', location: 'body', code: 'unknown', message: 'is not a field here' },
    ]);
  }
});

/** The first field that a refusal names. */
const fieldOf = async (call: Promise<unknown>): Promise<string> => {
  const { code, details } = await refused(call);
  expect(code).toBe('VALIDATION_ERROR');
  return details.fields[0].field;
};

test('a window in the past is refused', async () => {
  const recurrence = { rule: 'FREQ=DAILY;COUNT=2', timezone: 'UTC', duration_minutes: 60 };
  const past = { name: 'Past', starts_at: '2026-11-01T00:00:00Z' };
  const { create } = api.freezeWindows;
  expect(await fieldOf(create({ ...past, ends_at: '2026-11-02T00:00:00Z' }))).toBe('ends_at');
  expect(await fieldOf(create({ ...past, recurrence }))).toBe('recurrence');
});

test.each([
  ['its last day is before its first occurrence', 'FREQ=WEEKLY;BYDAY=WE;UNTIL=20261124', null],
  ['its end is before its first occurrence', 'FREQ=WEEKLY;BYDAY=WE', '2026-11-24T00:00:00Z'],
  ['its month has no such day', 'FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31', null],
])('a window that never becomes active is refused: %s', async (_, rule, ends_at) => {
  const recurrence = { rule, timezone: 'UTC', duration_minutes: 1440 };
  const starts_at = '2026-11-21T00:00:00Z';
  const { id } = await freeze({ starts_at, ends_at: null });
  const times = { starts_at, ends_at, recurrence };
  expect(await fieldOf(api.freezeWindows.create({ name: 'Never', ...times }))).toBe('recurrence');
  expect(await fieldOf(api.freezeWindows.update(id, times))).toBe('recurrence');
});

test.each(['project_ids', 'environment_types'])(
  'a scope with environments that its %s exclude is refused',
  async (name) => {
    const { staging, production } = server.environments;
    const other = await api.projects.create({ key: 'other', name: 'Other', environments: [] });
    const outside = { project_ids: [other.id], environment_types: ['staging'] }[name];
    const scope = { environment_ids: [staging, production], [name]: outside };
    const { details } = await refused(api.unchecked.freezeWindows.create({ name: 'Nowhere', scope }));
    expect(details.fields.at(-1).field).toBe('scope.environment_ids.1');
  },
);

test('an action that no window can block is refused, and the refusal names the valid ones', async () => {
  const faultOf = async (pattern: string) => {
    const blocked_actions = ['flag.*', pattern];
    const { details } = await refused(api.freezeWindows.create({ name: 'Typo', blocked_actions }));
    return details.fields[0];
  };
  expect(await faultOf('flag.toggle')).toMatchObject({
    field: 'blocked_actions.1',
    message: expect.stringContaining('flag.toggled'),
  });
  // A scheduled change or an import counts as the actions that it performs on flags.
  expect(await faultOf('scheduled_change.*')).toMatchObject({
    field: 'blocked_actions.1',
    message: 'must be *, or one of flag.*, segment.*, project.*, environment.*',
  });
  const { id } = await freeze({ blocked_actions: ['flag.toggled', 'segment.*', '*'] });
  const patch = { blocked_actions: ['import.*'], comment: 'why' };
  expect(await codeOf(api.freezeWindows.update(id, patch))).toBe('VALIDATION_ERROR');
});

test('the refusal of a change names the window that blocks longest', async () => {
  await freeze({ name: 'short', ends_at: '2026-11-21T00:00:00Z' });
  await freeze({ name: 'long', ends_at: '2026-12-24T00:00:00Z' });
  const { message, details } = await refused(api.flags.toggle(flagId, true));
  expect(message).toContain('"long" blocks this change until 2026-12-24');
  expect(details).toMatchObject({ name: 'long', ends_at: '2026-12-24T00:00:00.000Z' });
  expect(details.windows.map((one: { name: string }) => one.name)).toEqual(['short', 'long']);
  await freeze({ name: 'open', ends_at: null });
  const open = await refused(api.flags.toggle(flagId, true));
  expect(open.message).toContain('"open" blocks this change until it is ended');
});

test('an ended window names the service account that ended it', async () => {
  const { id } = await freeze();
  const robot = await api.serviceAccounts.create({ name: 'release-bot', role: 'admin' });
  const { token } = await api.serviceAccounts.createToken(robot.id, { name: 't', scopes: ['admin'] });
  const { ended_by } = await server.withToken(token!).freezeWindows.end(id, { comment: 'released' });
  expect(ended_by).toBe('release-bot');
});

const announcements = () => api.audit.list({ action: 'freeze_window.upcoming' });

test('the next occurrence is announced once', async () => {
  await freeze({ starts_at: '2026-11-21T00:00:00Z', notify_before_minutes: 60 });
  await server.app.runBackground();
  expect(await announcements()).toHaveLength(0);
  server.advance(13.5 * HOUR_MS);
  await server.app.runBackground();
  await server.app.runBackground();
  expect(await announcements()).toHaveLength(1);
});

test('an unreadable window does not prevent announcements of others', async () => {
  const times = { starts_at: '2026-11-21T00:00:00Z', notify_before_minutes: 60 };
  const { id } = await freeze(times);
  await freeze({ ...times, name: 'second' });
  const recurrence_json = 'not JSON';
  await server.db.updateTable('freeze_windows').set({ recurrence_json }).where('id', '=', id).execute();
  server.advance(13.5 * HOUR_MS);
  await server.app.runBackground();
  expect(await announcements()).toHaveLength(1);
});

test.each([
  ['an unknown environment', { scope: { environment_ids: ['env_x'] } }, 'ENVIRONMENT_NOT_FOUND'],
  ['an end before its start', { ends_at: '2020-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
  [
    'an unknown rule',
    { recurrence: { rule: 'FREQ=YEARLY', timezone: 'UTC', duration_minutes: 1 } },
    'RECURRENCE_INVALID',
  ],
  ['an unknown exception', { allow: ['enable'] }, 'VALIDATION_ERROR'],
])('a window with %s is refused', async (_, more, code) => {
  expect(await codeOf(api.unchecked.freezeWindows.create({ name: 'x', ...more }))).toBe(code);
});

test('only an admin with a recent login can bypass a window', async () => {
  await freeze();
  const justification = 'a long enough reason';
  const scope = { environment_ids: [server.environments.production] };
  const breakThrough = (by: Api) => codeOf(by.flags.toggle(flagId, true, { justification }));
  const open = () => codeOf(api.breakGlass.open({ scope, justification }));
  expect(await breakThrough(server.as('editor'))).toBe('INSUFFICIENT_PERMISSIONS');
  server.advance(6 * 60 * 1000);
  expect(await open()).toBe('REAUTHENTICATION_REQUIRED');
  expect(await breakThrough(api)).toBe('REAUTHENTICATION_REQUIRED');
  await api.auth.reauthenticate({ password: PASSWORD });
  expect(await open()).toBe('OK');
});

test('an environment with require_comment refuses every change without a comment', async () => {
  await api.environments.update(server.environments.production, { require_comment: true });
  const toggleWith = (comment?: string) => codeOf(api.flags.toggle(flagId, true, { comment }));
  expect(await toggleWith()).toBe('COMMENT_REQUIRED');
  expect(await toggleWith(' ')).toBe('COMMENT_REQUIRED');
  expect(await toggle(true, development)).toBe('OK');
  expect(await toggleWith('The release is out.')).toBe('OK');
  expect(await codeOf(api.flags.archive(flagId))).toBe('COMMENT_REQUIRED');
  const comment = Buffer.from('Ist überflüssig.').toString('latin1');
  expect(await codeOf(api.flags.archive(flagId, { comment }))).toBe('OK');
  const [entry] = await api.audit.list({ action: 'flag.archived' });
  expect(entry!.comment).toBe('Ist überflüssig.');
});

test('the calendar lists single and recurring occurrences that touch the period', async () => {
  await freeze({ starts_at: '2026-11-25T10:00:00Z' });
  await freeze({
    name: 'Weekend',
    starts_at: '2026-11-20T17:00:00Z',
    ends_at: null,
    recurrence: { rule: 'FREQ=WEEKLY;BYDAY=FR', timezone: 'Europe/Berlin', duration_minutes: 3_780 },
  });
  const cancelled = await freeze({ starts_at: '2026-11-26T10:00:00Z' });
  await api.freezeWindows.cancel(cancelled.id);
  const { occurrences, is_complete } = await api.freezeWindows.calendar({
    from: '2026-11-22T00:00:00Z',
    to: '2026-12-04T17:00:00Z',
  });
  expect(occurrences.map(({ name, starts_at, ends_at }) => [name, starts_at, ends_at])).toEqual([
    ['Weekend', '2026-11-20T17:00:00.000Z', '2026-11-23T08:00:00.000Z'],
    ['Black Friday', '2026-11-25T10:00:00.000Z', '2026-11-30T23:59:00.000Z'],
    ['Weekend', '2026-11-27T17:00:00.000Z', '2026-11-30T08:00:00.000Z'],
  ]);
  expect(is_complete).toBe(true);
});

test('the calendar ends an occurrence when a user ended its window', async () => {
  const { id } = await freeze();
  server.advance(HOUR_MS);
  await api.freezeWindows.end(id, { comment: 'Over.' });
  const { occurrences } = await api.freezeWindows.calendar({
    from: '2026-11-01T00:00:00Z',
    to: '2026-12-01T00:00:00Z',
  });
  expect(occurrences).toMatchObject([
    { freeze_window_id: id, ends_at: expect.stringMatching(/^2026-11-20T11:00:/) },
  ]);
});

test.each([
  ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00Z'],
  ['2026-01-01T00:00:00Z', '2026-12-01T00:00:00Z'],
])('the calendar refuses the period from %s to %s', async (from, to) => {
  const error = await refused(api.freezeWindows.calendar({ from, to }));
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('the calendar says when it leaves occurrences out', async () => {
  for (let count = 0; count < 11; count++) {
    await freeze({
      name: `Night ${count}`,
      ends_at: null,
      recurrence: { rule: 'FREQ=DAILY', timezone: 'UTC', duration_minutes: 60 },
    });
  }
  const { occurrences, is_complete } = await api.freezeWindows.calendar({
    from: '2026-12-01T00:00:00Z',
    to: '2027-03-11T00:00:00Z',
  });
  expect(occurrences).toHaveLength(1_000);
  expect(is_complete).toBe(false);
});

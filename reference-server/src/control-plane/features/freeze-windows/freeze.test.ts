import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, booleanFlag, PASSWORD, startServer, type TestServer } from '../../../../test/server.ts';
import { addTenant } from '../../../../test/tenant.ts';

interface Frozen {
  readonly flagId: string;
  readonly environmentId: string;
  readonly segmentId: string;
  readonly projectId: string;
}
let server: TestServer;
let frozen: Frozen;

const RULE = {
  priority: 1,
  name: 'r',
  conditions: [],
  percentage_rollout: [{ variation: 'on', percentage: 40 }],
};

beforeEach(async () => {
  server = await startServer();
  const environmentId = server.environments.production;
  const { projectId } = server;
  const flag = await made('POST', `/flags?environment_id=${environmentId}`, booleanFlag('checkout'));
  const segment = await made('POST', `/projects/${projectId}/segments`, { key: 'staff', conditions: [] });
  frozen = { flagId: flag.id, environmentId, segmentId: segment.id, projectId };
});
afterEach(() => server.close());

function admin(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  return server.call({ method: method as 'GET', url, token: server.tokens.admin, body, headers });
}

/** What the call makes, which must succeed. */
async function made(method: string, url: string, body?: unknown) {
  const answer = await admin(method, url, body);
  expect([url, answer.status, answer.body?.error]).toEqual([url, expect.any(Number), undefined]);
  expect(answer.status).toBeLessThan(300);
  return answer.body?.data;
}

const freeze = (more: object = {}) =>
  made('POST', '/freeze-windows', {
    name: 'Black Friday',
    scope: { environment_types: ['production'] },
    ends_at: '2026-11-30T23:59:00Z',
    ...more,
  });

function flagPath({ flagId, environmentId }: Frozen, suffix = ''): string {
  return `/flags/${flagId}${suffix}?environment_id=${environmentId}`;
}

const entriesOf = async (where: string) =>
  (await admin('GET', `/audit-log?per_page=200&${where}`)).body.data.reverse() as {
    action: string;
    comment: string | null;
    break_glass_id: string | null;
    changes: Record<string, { to: unknown }>;
    resource: { type: string; id: string };
  }[];

const codeOf = ({ status, body }: Answer) => [status, body?.error?.code];

test('leaves other environments, drafts, names and what changes nothing alone', async () => {
  await freeze();
  const development = server.environments.development;
  const other = { ...frozen, environmentId: development };
  await made('POST', flagPath(other, '/toggle'), { enabled: true });
  await made('PUT', flagPath(frozen), { name: 'Renamed', description: 'x', tags: ['a'] });
  await made('POST', flagPath(frozen, '/toggle'), { enabled: false });
  await made('POST', `/flags?environment_id=${development}`, { ...booleanFlag('draft'), draft: true });
});

test('asks by the clock of the write: from the first millisecond on, and not after the last', async () => {
  const starts = new Date(Date.parse('2026-11-20T10:00:00.000Z') + 60_000).toISOString();
  const ends = new Date(Date.parse(starts) + 60_000).toISOString();
  await freeze({ starts_at: starts, ends_at: ends });
  const toggle = async (enabled: boolean) =>
    (await admin('POST', flagPath(frozen, '/toggle'), { enabled })).status;
  expect(await toggle(true)).toBe(200);
  server.advance(60_000);
  expect(await toggle(false)).toBe(409);
  server.advance(60_000);
  expect(await toggle(false)).toBe(200);
});

test('can be asked for its verdict without writing', async () => {
  await freeze();
  const { body } = await admin('POST', `${flagPath(frozen, '/toggle')}&dry_run=true`, { enabled: true });
  expect(body.data.plan[0].gate).toMatchObject({ allowed: false, code: 'FREEZE_WINDOW_ACTIVE' });
});

test('lets kill switches be pulled, and what a window allows', async () => {
  const disable = () => admin('POST', flagPath(frozen, '/toggle'), { enabled: false });
  await made('PUT', flagPath(frozen), { classification: 'ops_killswitch' });
  await made('POST', flagPath(frozen, '/toggle'), { enabled: true });
  const window = await freeze();
  expect((await disable()).status).toBe(200);
  expect((await admin('POST', flagPath(frozen, '/toggle'), { enabled: true })).status).toBe(409);

  await made('POST', `/freeze-windows/${window.id}/end`, { comment: 'for the next part' });
  const put = (percentage: number, more: object = {}) =>
    admin('PUT', flagPath(frozen), {
      targeting_rules: [
        { ...RULE, id: ruleId, percentage_rollout: [{ variation: 'on', percentage }], ...more },
      ],
    });
  let ruleId: string | undefined;
  ruleId = (await put(40)).body.data.targeting_rules[0].id;
  await freeze({ allow: ['disable', 'rollout_decrease'] });
  expect((await put(41)).status).toBe(409);
  expect((await put(30, { priority: 2 })).status).toBe(409);
  expect((await put(30)).status).toBe(200);
  expect((await put(40)).status).toBe(409);
});

test('holds flags by tag, and lets no tag be taken off meanwhile', async () => {
  await made('PUT', flagPath(frozen), { tags: ['payments'] });
  const window = await freeze({ scope: { tags: ['payments'] } });
  const free = await made('POST', `/flags?environment_id=${frozen.environmentId}`, booleanFlag('free'));
  const other = { ...frozen, flagId: free.id };
  expect((await admin('POST', flagPath(other, '/toggle'), { enabled: true })).status).toBe(200);
  expect((await admin('POST', flagPath(frozen, '/toggle'), { enabled: true })).status).toBe(409);
  expect((await admin('PUT', flagPath(frozen), { tags: [] })).status).toBe(409);
  // Not even on the way of a change in another environment.
  await made('POST', `/freeze-windows/${window.id}/end`, { comment: 'narrower' });
  await freeze({ scope: { tags: ['payments'], environment_types: ['production'] } });
  const elsewhere = { ...frozen, environmentId: server.environments.development };
  expect((await admin('PUT', flagPath(elsewhere), { tags: [], default_variation: 'on' })).status).toBe(409);
  expect((await admin('PUT', flagPath(elsewhere), { default_variation: 'on' })).status).toBe(200);
  const tag = `/projects/${frozen.projectId}/tags/payments`;
  expect((await admin('DELETE', tag)).status).toBe(409);
  expect((await admin('PATCH', tag, { name: 'other' })).status).toBe(409);
  expect((await admin('PUT', flagPath(frozen), { name: 'Other' })).status).toBe(200);
});

test('lets no flag become a kill switch, or cease to be one, meanwhile', async () => {
  await made('POST', flagPath(frozen, '/toggle'), { enabled: true });
  const window = await freeze();
  const classify = (classification: string | null, of = frozen) =>
    admin('PUT', flagPath(of), { classification });
  const elsewhere = { ...frozen, environmentId: server.environments.development };
  for (const of of [frozen, elsewhere]) {
    expect(codeOf(await classify('ops_killswitch', of))).toEqual([409, 'FREEZE_WINDOW_ACTIVE']);
  }
  expect((await admin('POST', flagPath(frozen, '/toggle'), { enabled: false })).status).toBe(409);
  expect((await classify('experiment')).status).toBe(200);

  await made('POST', `/freeze-windows/${window.id}/end`, { comment: 'for the next part' });
  expect((await classify('ops_killswitch')).status).toBe(200);
  await freeze();
  expect((await classify(null)).status).toBe(409);
});

test('blocks only the actions that it names', async () => {
  await freeze({ blocked_actions: ['segment.*', 'flag.archived'] });
  expect((await admin('POST', flagPath(frozen, '/toggle'), { enabled: true })).status).toBe(200);
  expect((await admin('DELETE', flagPath(frozen))).status).toBe(409);
  expect((await admin('DELETE', `/segments/${frozen.segmentId}`)).status).toBe(409);
});

test('tells whether an environment is frozen, and when that changes', async () => {
  await freeze({
    starts_at: '2026-11-01T16:00:00Z',
    ends_at: null,
    recurrence: { rule: 'FREQ=WEEKLY;BYDAY=FR', timezone: 'Europe/Berlin', duration_minutes: 60 },
  });
  const status = async () =>
    (await admin('GET', `/freeze-windows/status?environment_id=${frozen.environmentId}`)).body.data;
  expect(await status()).toMatchObject({ frozen: false, next_change_at: '2026-11-20T16:00:00.000Z' });
  server.advance(6 * 60 * 60 * 1000);
  expect(await status()).toMatchObject({
    frozen: true,
    next_change_at: '2026-11-20T17:00:00.000Z',
    windows: [{ status: 'active', current_occurrence: { starts_at: '2026-11-20T16:00:00.000Z' } }],
  });
  const elsewhere = await admin(
    'GET',
    `/freeze-windows/status?environment_id=${server.environments.development}`,
  );
  expect(elsewhere.body.data).toEqual({ frozen: false, windows: [], next_change_at: null });
});

test('is changed and ended, while it is on, only with a comment, by a person with a name', async () => {
  const window = await freeze();
  const url = `/freeze-windows/${window.id}`;
  expect(codeOf(await admin('PATCH', url, { name: 'x' }))).toEqual([422, 'COMMENT_REQUIRED']);
  expect(codeOf(await admin('POST', `${url}/end`, {}))).toEqual([422, 'COMMENT_REQUIRED']);
  expect(codeOf(await admin('DELETE', url))).toEqual([409, 'RESOURCE_IN_USE']);
  const ended = await made('POST', `${url}/end`, { comment: 'Sales are over.' });
  expect(ended).toMatchObject({ status: 'ended', ended_by: 'admin@example.com', current_occurrence: null });
  expect(codeOf(await admin('PATCH', url, { name: 'x', comment: 'x' }))).toEqual([409, 'FREEZE_WINDOW_OVER']);
  const [entry] = await entriesOf('action=freeze_window.ended');
  expect(entry).toMatchObject({ comment: 'Sales are over.', actor: { email: 'admin@example.com' } });
  // Webhooks tell changes, and so the name.
  expect(entry!.changes['ended_by']).toEqual({ from: null, to: 'admin@example.com' });

  const later = await freeze({ starts_at: '2026-12-24T00:00:00Z', ends_at: null });
  expect((await admin('PATCH', `/freeze-windows/${later.id}`, { name: 'Christmas' })).status).toBe(200);
  expect((await admin('DELETE', `/freeze-windows/${later.id}`)).status).toBe(204);
  expect((await admin('GET', `/freeze-windows/${later.id}`)).body.data.status).toBe('cancelled');
});

test('is of the organization of whoever makes it, which may be named, and of no other', async () => {
  const { organizationId } = server;
  const first = await freeze({ organization_id: organizationId });
  const second = await freeze();
  expect([first.organization_id, second.organization_id]).toEqual([organizationId, organizationId]);
  const tenant = await addTenant(server);
  for (const organization_id of [tenant.organizationId, 'org_NONE']) {
    const answer = await admin('POST', '/freeze-windows', { name: 'x', organization_id });
    expect(codeOf(answer)).toEqual([404, 'ORGANIZATION_NOT_FOUND']);
  }
  const { data } = (await server.call({ url: '/freeze-windows', token: tenant.token })).body;
  expect(data).toEqual([]);
});

test('refuses a scope that it does not understand, which would freeze more than was meant', async () => {
  const scope = { environment_type: ['production'] };
  const { id } = await freeze({ ends_at: null });
  const calls = [
    ['POST', '/freeze-windows', { name: 'Friday', scope }],
    ['PATCH', `/freeze-windows/${id}`, { scope, comment: 'why' }],
  ] as const;
  for (const [method, url, body] of calls) {
    const { status, body: answer } = await admin(method, url, body);
    expect([status, answer.error?.details.fields]).toEqual([
      400,
      [
        {
          field: 'scope.environment_type',
          location: 'body',
          code: 'unknown',
          message: 'is not a field here',
        },
      ],
    ]);
  }
});

test('refuses a window that is over before it is made', async () => {
  const recurrence = { rule: 'FREQ=DAILY;COUNT=2', timezone: 'UTC', duration_minutes: 60 };
  const starts_at = '2026-11-01T00:00:00Z';
  const over = { ends_at: '2026-11-02T00:00:00Z' };
  for (const [field, more] of Object.entries({ ends_at: over, recurrence: { recurrence } })) {
    const answer = await admin('POST', '/freeze-windows', { name: 'Past', starts_at, ...more });
    expect([answer.status, answer.body.error?.details.fields[0].field]).toEqual([400, field]);
  }
});

test.each([
  ['its last day is before its first occurrence', 'FREQ=WEEKLY;BYDAY=WE;UNTIL=20261124', null],
  ['its end is before its first occurrence', 'FREQ=WEEKLY;BYDAY=WE', '2026-11-24T00:00:00Z'],
  ['its month has no such day', 'FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31', null],
])('refuses a window that is never on, since %s', async (_, rule, ends_at) => {
  const recurrence = { rule, timezone: 'UTC', duration_minutes: 1440 };
  const times = { starts_at: '2026-11-21T00:00:00Z', ends_at, recurrence };
  const { id } = await freeze({ starts_at: '2026-11-21T00:00:00Z', ends_at: null });
  for (const answer of [
    await admin('POST', '/freeze-windows', { name: 'Never', ...times }),
    await admin('PATCH', `/freeze-windows/${id}`, times),
  ]) {
    expect([answer.status, answer.body.error?.details.fields[0].field]).toEqual([400, 'recurrence']);
  }
});

test.each(['project_ids', 'environment_types'])(
  'refuses environments that its %s leave out',
  async (name) => {
    const other = await made('POST', '/projects', { key: 'other', name: 'Other', environments: [] });
    const outside = { project_ids: [other.id], environment_types: ['staging'] }[name];
    const scope = { environment_ids: [server.environments.staging, frozen.environmentId], [name]: outside };
    const answer = await admin('POST', '/freeze-windows', { name: 'Nowhere', scope });
    const fault = answer.body.error?.details.fields.at(-1);
    expect([answer.status, fault?.field]).toEqual([400, 'scope.environment_ids.1']);
  },
);

test('refuses an action that it never blocks, and says which there are', async () => {
  const fault = async (pattern: string) => {
    const body = { name: 'Typo', blocked_actions: ['flag.*', pattern] };
    const answer = await admin('POST', '/freeze-windows', body);
    const [first] = answer.body.error?.details.fields ?? [];
    return [answer.status, first?.field, first?.message];
  };
  const [status, field, message] = await fault('flag.toggle');
  expect([status, field]).toEqual([400, 'blocked_actions.1']);
  expect(message).toContain('flag.toggled');
  // What schedules and imports do to flags has the names of what is done to flags.
  const nouns = 'must be *, or one of flag.*, segment.*, project.*, environment.*';
  expect(await fault('scheduled_change.*')).toEqual([400, 'blocked_actions.1', nouns]);
  const { id } = await freeze({ blocked_actions: ['flag.toggled', 'segment.*', '*'] });
  const patch = { blocked_actions: ['import.*'], comment: 'why' };
  expect((await admin('PATCH', `/freeze-windows/${id}`, patch)).status).toBe(400);
});

test('names the window that blocks longest', async () => {
  await freeze({ name: 'short', ends_at: '2026-11-21T00:00:00Z' });
  await freeze({ name: 'long', ends_at: '2026-12-24T00:00:00Z' });
  const toggle = () => admin('POST', flagPath(frozen, '/toggle'), { enabled: true });
  const { error } = (await toggle()).body;
  expect(error.message).toContain('"long" blocks this change until 2026-12-24');
  expect(error.details).toMatchObject({ name: 'long', ends_at: '2026-12-24T00:00:00.000Z' });
  expect(error.details.windows.map((one: { name: string }) => one.name)).toEqual(['short', 'long']);
  await freeze({ name: 'open', ends_at: null });
  expect((await toggle()).body.error.message).toContain('"open" blocks this change until it is ended');
});

test('names the program that has ended it', async () => {
  const { id } = await freeze();
  const robot = await made('POST', '/service-accounts', { name: 'release-bot', role: 'admin' });
  const { token } = await made('POST', `/service-accounts/${robot.id}/tokens`, {
    name: 't',
    scopes: ['admin'],
  });
  const url = `/freeze-windows/${id}/end`;
  const ended = await server.call({ method: 'POST', url, token, body: { comment: 'released' } });
  expect(ended.body.data.ended_by).toBe('release-bot');
});

test('announces the next occurrence once', async () => {
  await freeze({ starts_at: '2026-11-21T00:00:00Z', notify_before_minutes: 60 });
  const announced = async () => (await entriesOf('action=freeze_window.upcoming')).length;
  await server.app.runBackground();
  expect(await announced()).toBe(0);
  server.advance(13.5 * 60 * 60 * 1000);
  await server.app.runBackground();
  await server.app.runBackground();
  expect(await announced()).toBe(1);
});

test('announces the others where one cannot be read', async () => {
  const times = { starts_at: '2026-11-21T00:00:00Z', notify_before_minutes: 60 };
  const { id } = await freeze(times);
  await freeze({ ...times, name: 'second' });
  const recurrence_json = 'this is no JSON';
  await server.db.updateTable('freeze_windows').set({ recurrence_json }).where('id', '=', id).execute();
  server.advance(13.5 * 60 * 60 * 1000);
  await server.app.runBackground();
  expect((await entriesOf('action=freeze_window.upcoming')).length).toBe(1);
});

test.each([
  ['a scope of nobody', { scope: { environment_ids: ['env_x'] } }, 404, 'ENVIRONMENT_NOT_FOUND'],
  ['an end before its start', { ends_at: '2020-01-01T00:00:00Z' }, 400, 'VALIDATION_ERROR'],
  [
    'an unknown rule',
    { recurrence: { rule: 'FREQ=YEARLY', timezone: 'UTC', duration_minutes: 1 } },
    422,
    'RECURRENCE_INVALID',
  ],
  ['an unknown kind of safety', { allow: ['enable'] }, 400, 'VALIDATION_ERROR'],
])('refuses a window with %s', async (_, more, status, code) => {
  const answer = await admin('POST', '/freeze-windows', { name: 'x', ...more });
  expect(codeOf(answer)).toEqual([status, code]);
});

test('wants the password just given, and somebody who may', async () => {
  await freeze();
  const body = { scope: { environment_ids: [frozen.environmentId] }, justification: 'a long enough reason' };
  const headers = { 'x-break-glass-justification': 'a long enough reason' };
  const toggle = (token: string) =>
    server.call({
      method: 'POST',
      url: flagPath(frozen, '/toggle'),
      token,
      body: { enabled: true },
      headers,
    });
  expect(codeOf(await toggle(server.tokens.editor))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  server.advance(6 * 60 * 1000);
  expect(codeOf(await admin('POST', '/break-glass', body))).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
  expect(codeOf(await toggle(server.tokens.admin))).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
  await made('POST', '/auth/reauthenticate', { password: PASSWORD });
  expect((await admin('POST', '/break-glass', body)).status).toBe(201);
});

test('wants a comment with every change of an environment that says so', async () => {
  await made('PATCH', `/environments/${frozen.environmentId}`, { require_comment: true });
  const toggle = (more: object, headers = {}) =>
    admin('POST', flagPath(frozen, '/toggle'), { enabled: true, ...more }, headers);
  expect(codeOf(await toggle({}))).toEqual([422, 'COMMENT_REQUIRED']);
  expect(codeOf(await toggle({ comment: ' ' }))).toEqual([422, 'COMMENT_REQUIRED']);
  const development = { ...frozen, environmentId: server.environments.development };
  await made('POST', flagPath(development, '/toggle'), { enabled: true });
  expect((await toggle({ comment: 'The release is out.' })).status).toBe(200);
  expect(codeOf(await admin('DELETE', flagPath(frozen)))).toEqual([422, 'COMMENT_REQUIRED']);
  const said = { 'x-change-comment': Buffer.from('Ist überflüssig.').toString('latin1') };
  expect((await admin('DELETE', flagPath(frozen), undefined, said)).status).toBe(204);
  expect((await entriesOf('action=flag.archived'))[0]!.comment).toBe('Ist überflüssig.');
});

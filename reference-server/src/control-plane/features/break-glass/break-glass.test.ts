import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';
import type { Mail } from '../../mail/mailer.ts';

const REASON = 'Checkout is down; INC-4711 needs this change.';
const MINUTE_MS = 60_000;

let server: TestServer;
let mails: Mail[];
let environmentId: string;
let flagId: string;
let second: string;

beforeEach(async () => {
  mails = [];
  server = await startServer({
    sendMail: async (mail) => {
      mails.push(mail);
    },
  });
  environmentId = server.environments.production;
  const flag = await admin('POST', `/flags?environment_id=${environmentId}`, booleanFlag('checkout'));
  flagId = flag.body.data.id;
  const other = await enter(server, 'second@example.com');
  await server.db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', other.id).execute();
  second = other.accessToken;
  await admin('POST', '/freeze-windows', { name: 'peak' });
});
afterEach(() => server.close());

function admin(method: string, url: string, body?: unknown, headers: Record<string, string> = {}) {
  return server.call({ method: method as 'GET', url, token: server.tokens.admin, body, headers });
}
const open = (more: object = {}) =>
  admin('POST', '/break-glass', {
    scope: { environment_ids: [environmentId] },
    justification: REASON,
    ...more,
  });
const opened = async (more: object = {}): Promise<string> => (await open(more)).body.data.id;
/** Turns the switch to what it is not: a switch that stays where it is changes nothing, and is let through. */
async function toggle(headers: Record<string, string>) {
  const path = `environment_id=${environmentId}`;
  const { body } = await admin('GET', `/flags/${flagId}?${path}`);
  return admin('POST', `/flags/${flagId}/toggle?${path}`, { enabled: !body.data.enabled }, headers);
}
const use = (id: string) => toggle({ 'x-break-glass': id });
const get = async (id: string) => (await admin('GET', `/break-glass/${id}`)).body.data;
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code];

test.each([
  ['nothing', undefined],
  ['too little', 'checkout is down'],
  ['one letter', 'a'.repeat(40)],
  ['a pattern', 'asdf '.repeat(10)],
  ['space', ' '.repeat(40)],
  ['too much', 'why '.repeat(1_000)],
])('refuses %s as a justification', async (_, justification) => {
  expect(codeOf(await open({ justification }))).toEqual([422, 'JUSTIFICATION_REQUIRED']);
  if (justification === undefined) return;
  const answer = await toggle({ 'x-break-glass-justification': justification });
  expect(codeOf(answer)).toEqual([422, 'JUSTIFICATION_REQUIRED']);
});

test('reads a justification in any language', async () => {
  const text = 'Die Kasse fällt aus, Störung 4711, wir müssen zurück.';
  const header = Buffer.from(text, 'utf8').toString('latin1');
  expect((await toggle({ 'x-break-glass-justification': header })).status).toBe(200);
  expect((await admin('GET', '/break-glass')).body.data[0].justification).toBe(text);
});

test('ends when it is closed, when it expires and when its login ends', async () => {
  const closed = await opened();
  await admin('POST', `/break-glass/${closed}/close`);
  expect(codeOf(await use(closed))).toEqual([403, 'BREAK_GLASS_EXPIRED']);
  expect(codeOf(await admin('POST', `/break-glass/${closed}/close`))).toEqual([403, 'BREAK_GLASS_EXPIRED']);

  const login = await enter(server, 'admin@example.com');
  const body = { scope: { environment_ids: [environmentId] }, justification: REASON };
  const other = await server.call({ method: 'POST', url: '/break-glass', token: login.accessToken, body });
  const others = await use(other.body.data.id);
  expect(codeOf(others)).toEqual([403, 'BREAK_GLASS_EXPIRED']);
  // It is open, and no use to this login.
  expect(others.body.error.message).toMatch(/opened by somebody else, or in another login/);
  await server.call({ method: 'POST', url: '/auth/logout', token: login.accessToken });
  expect(await get(other.body.data.id)).toMatchObject({ status: 'closed', close_reason: 'session_ended' });

  const short = await opened({ duration_minutes: 5 });
  expect((await use(short)).status).toBe(200);
  server.advance(5 * MINUTE_MS);
  expect(codeOf(await use(short))).toEqual([403, 'BREAK_GLASS_EXPIRED']);
  expect(await get(short)).toMatchObject({ status: 'closed', close_reason: 'expired', uses_count: 1 });
  expect(codeOf(await use('bgl_unknown'))).toEqual([403, 'BREAK_GLASS_EXPIRED']);
});

test('covers what its scope names and nothing else', async () => {
  const flags = await opened({
    scope: { project_ids: [server.projectId], flag_ids: [await drafted('other')] },
  });
  expect(codeOf(await use(flags))).toEqual([403, 'BREAK_GLASS_OUT_OF_SCOPE']);
  const elsewhere = await opened({ scope: { environment_ids: [server.environments.staging] } });
  expect(codeOf(await use(elsewhere))).toEqual([403, 'BREAK_GLASS_OUT_OF_SCOPE']);
  const here = await opened();
  const archive = await admin('DELETE', `/flags/${flagId}?environment_id=${environmentId}`, undefined, {
    'x-break-glass': here,
  });
  expect(codeOf(archive)).toEqual([403, 'BREAK_GLASS_OUT_OF_SCOPE']);
  const named = await opened({ scope: { environment_ids: [environmentId], flag_ids: [flagId] } });
  expect((await use(named)).status).toBe(200);
  expect(codeOf(await open({ scope: {} }))).toEqual([422, 'SCOPE_EMPTY']);
  expect(codeOf(await open({ scope: { project_ids: ['prj_x'] } }))).toEqual([404, 'PROJECT_NOT_FOUND']);
  const other = await admin('POST', '/projects', { key: 'other', name: 'Other' });
  const stray = await open({ scope: { project_ids: [other.body.data.id], flag_ids: [flagId] } });
  expect([stray.status, stray.body.error?.details.fields?.[0].field]).toEqual([400, 'scope.flag_ids.0']);
  const typo = { environment_ids: [environmentId], flag_ids: [flagId, 'flg_x'] };
  expect(codeOf(await open({ scope: typo }))).toEqual([404, 'FLAG_NOT_FOUND']);
});

test('bypasses neither validation nor revisions', async () => {
  const id = await opened();
  const put = (body: object, headers = {}) =>
    admin('PUT', `/flags/${flagId}?environment_id=${environmentId}`, body, {
      'x-break-glass': id,
      ...headers,
    });
  expect((await put({ default_variation: 'gone' })).status).toBe(422);
  expect((await put({ default_variation: 'on' }, { 'if-match': '"99"' })).status).toBe(412);
  expect((await get(id)).uses_count).toBe(0);
});

test('counts each use, and none that was tried out', async () => {
  const id = await opened();
  const headers = { 'x-break-glass': id };
  const url = `/flags/${flagId}/toggle?environment_id=${environmentId}`;
  const tried = await admin('POST', `${url}&dry_run=true`, { enabled: true }, headers);
  expect(tried.body.data.plan[0].gate.allowed).toBe(true);
  for (const enabled of [true, false, true]) await admin('POST', url, { enabled }, headers);
  expect((await get(id)).uses_count).toBe(3);
});

/** Another flag that is active although production is frozen. */
async function drafted(key: string): Promise<string> {
  const url = `?environment_id=${environmentId}`;
  const flag = await admin('POST', `/flags${url}`, { ...booleanFlag(key), draft: true });
  const { id } = flag.body.data;
  await server.db.updateTable('flags').set({ status: 'active' }).where('id', '=', id).execute();
  return id;
}

test('opens one session for all changes of one call', async () => {
  const body = {
    action: 'toggle',
    flag_ids: [flagId, await drafted('other')],
    environment_id: environmentId,
    params: { enabled: true },
  };
  const { body: answer } = await admin('POST', '/flags/bulk', body, {
    'x-break-glass-justification': REASON,
  });
  expect(answer.data.results.map((one: { status: string }) => one.status)).toEqual(['ok', 'ok']);
  const [glass, ...others] = (await admin('GET', '/break-glass')).body.data;
  expect([glass.uses_count, others.length]).toEqual([2, 0]);
  // Whoever reviews it sees all that it was used for.
  expect(glass.scope).toEqual({
    environment_ids: [environmentId],
    project_ids: [],
    flag_ids: body.flag_ids,
  });
});

test('does not take a password for just given that was given before the clock was set back', async () => {
  server.advance(-60 * MINUTE_MS);
  expect(codeOf(await open())).toEqual([403, 'REAUTHENTICATION_REQUIRED']);
});

test('writes down the end of the others where one cannot be read', async () => {
  const broken = await opened({ duration_minutes: 5 });
  const other = await opened({ duration_minutes: 5 });
  const row = { scope_json: 'this is no JSON' };
  await server.db.updateTable('break_glass').set(row).where('id', '=', broken).execute();
  server.advance(5 * MINUTE_MS);
  await server.app.runBackground();
  const closed = await server.db
    .selectFrom('break_glass')
    .select('closed_at')
    .where('id', '=', other)
    .execute();
  expect(closed).not.toEqual([{ closed_at: null }]);
});

test('opens no session for a call that needs none', async () => {
  const development = server.environments.development;
  const windows = await admin('GET', '/freeze-windows');
  await admin('POST', `/freeze-windows/${windows.body.data[0].id}/end`, { comment: 'over' });
  const headers = { 'x-break-glass-justification': REASON };
  const url = `/flags/${flagId}/toggle?environment_id=${development}`;
  expect((await admin('POST', url, { enabled: true }, headers)).status).toBe(200);
  expect((await admin('GET', '/break-glass')).body.data).toEqual([]);
});

test('cannot be opened or used by a personal token', async () => {
  const token = await admin('POST', '/auth/tokens', { name: 'ci', scopes: ['admin'] });
  const call = (url: string, body: object, headers = {}) =>
    server.call({ method: 'POST', url, token: token.body.data.token, body, headers });
  const body = { scope: { environment_ids: [environmentId] }, justification: REASON };
  expect(codeOf(await call('/break-glass', body))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  const url = `/flags/${flagId}/toggle?environment_id=${environmentId}`;
  for (const headers of [{ 'x-break-glass-justification': REASON }, { 'x-break-glass': await opened() }]) {
    const answer = await call(url, { enabled: true }, headers);
    expect(codeOf(answer)).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
  }
});

test('is reviewed once, after its end, by another admin', async () => {
  const id = await opened();
  const review = (token: string) =>
    server.call({
      method: 'POST',
      url: `/break-glass/${id}/review`,
      token,
      body: { outcome: 'not_justified', note: 'It could have waited.' },
    });
  expect(codeOf(await review(second))).toEqual([409, 'BREAK_GLASS_OPEN']);
  await admin('POST', `/break-glass/${id}/close`);
  expect(codeOf(await review(server.tokens.admin))).toEqual([409, 'SELF_REVIEW']);
  expect((await review(second)).body.data).toMatchObject({
    status: 'reviewed',
    review: { outcome: 'not_justified', by: { email: 'second@example.com' } },
  });
  expect(codeOf(await review(second))).toEqual([409, 'BREAK_GLASS_REVIEWED']);
});

test('is overdue after 72 hours without a review, which is said once a day', async () => {
  const id = await opened();
  server.advance(61 * MINUTE_MS);
  await server.app.runBackground();
  const count = async (action: string): Promise<number> => {
    const rows = await server.db
      .selectFrom('audit_entries')
      .select('id')
      .where('action', '=', action)
      .execute();
    return rows.length;
  };
  expect(await count('break_glass.closed')).toBe(1);
  server.advance(73 * 60 * MINUTE_MS);
  await server.app.runBackground();
  await server.app.runBackground();
  expect(await count('break_glass.overdue')).toBe(1);
  const overdue = () => mails.filter(({ subject }) => subject.endsWith('is overdue'));
  await expect
    .poll(() =>
      overdue()
        .map(({ to }) => to)
        .sort(),
    )
    .toEqual(['admin@example.com', 'second@example.com']);
  const login = await enter(server, 'admin@example.com');
  const list = await server.call({ url: '/break-glass?status=overdue', token: login.accessToken });
  expect(list.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
  server.advance(24 * 60 * MINUTE_MS);
  await server.app.runBackground();
  expect(await count('break_glass.overdue')).toBe(2);
  await expect.poll(() => overdue().length).toBe(4);
});

const subjects = async (): Promise<readonly string[]> => {
  await server.app.runBackground();
  // Mails go out beside what causes them.
  await new Promise((resolve) => setTimeout(resolve, 250));
  return mails.filter(({ to }) => to === 'second@example.com').map(({ subject }) => subject);
};

test('tells all admins when it is opened, used and closed', async () => {
  const id = await opened();
  await use(id);
  await admin('POST', `/break-glass/${id}/close`);
  expect(await subjects()).toEqual(
    ['opened', 'used', 'closed'].map((what) => `Break-glass ${what} by admin@example.com`),
  );
  expect(mails.map(({ to }) => to).sort()).toEqual([
    ...Array(3).fill('admin@example.com'),
    ...Array(3).fill('second@example.com'),
  ]);
  expect(mails[0]!.text).toContain(REASON);
});

test('tells of all that one call did by one message, and of nothing that was undone', async () => {
  const other = await drafted('other');
  const toggleBoth = (headers: Record<string, string>, enabled: boolean) =>
    admin(
      'POST',
      '/flags/bulk',
      {
        action: 'toggle',
        flag_ids: [flagId, other],
        environment_id: environmentId,
        params: { enabled },
        atomic: true,
      },
      headers,
    );
  const narrow = await opened({ scope: { environment_ids: [environmentId], flag_ids: [flagId] } });
  const undone = await toggleBoth({ 'x-break-glass': narrow }, true);
  expect(codeOf(undone)).toEqual([403, 'BREAK_GLASS_OUT_OF_SCOPE']);
  expect(await subjects()).toEqual(['Break-glass opened by admin@example.com']);

  mails.length = 0;
  expect((await toggleBoth({ 'x-break-glass-justification': REASON }, true)).status).toBe(200);
  expect(await subjects()).toEqual(['Break-glass opened by admin@example.com']);
  expect(mails[0]!.text).toContain('used 2 times');
  mails.length = 0;
  expect((await toggleBoth({ 'x-break-glass': await opened() }, false)).status).toBe(200);
  expect(await subjects()).toEqual(
    ['opened', 'used'].map((what) => `Break-glass ${what} by admin@example.com`),
  );
});

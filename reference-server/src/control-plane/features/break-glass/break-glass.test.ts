import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';
import type { OutgoingMail as Mail } from '../../../outbound/send-mail.ts';

type Session = Body<'POST /break-glass'>;

const REASON = 'Checkout is down; INC-4711 needs this change.';
const MINUTE_MS = 60_000;

let server: TestServer;
let mails: Mail[];
/** Calls the API as the admin, in production, which is frozen. */
let api: Api;
/** Calls the API as another admin. */
let second: Api;
let environmentId: string;
let flagId: string;

beforeEach(async () => {
  mails = [];
  server = await startServer({ sendMail: async (mail) => void mails.push(mail) });
  api = server.as('admin');
  environmentId = server.environments.production;
  flagId = (await api.flags.create(booleanFlag('checkout'))).id;
  const other = await enter(server, 'second@example.com');
  await server.db.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', other.id).execute();
  second = other.api;
  await api.freezeWindows.create({ name: 'peak' });
});
afterEach(() => server.close());

const open = (more: Partial<Session> = {}, by: Pick<Api, 'breakGlass'> = api) =>
  by.breakGlass.open({ scope: { environment_ids: [environmentId] }, justification: REASON, ...more });
const openId = async (more: Partial<Session> = {}) => (await open(more)).id;

/** Toggles the flag to the other value, since a freeze window allows a toggle that changes nothing. */
async function toggle(options: { breakGlass?: string; justification?: string }) {
  const { enabled } = await api.flags.get(flagId);
  return codeOf(api.flags.toggle(flagId, !enabled, options));
}
const use = (breakGlass: string) => toggle({ breakGlass });

/** Creates a second active flag in spite of the freeze. */
async function createOther(): Promise<string> {
  const { id } = await api.flags.create(booleanFlag('other', { draft: true }));
  await server.db.updateTable('flags').set({ status: 'active' }).where('id', '=', id).execute();
  return id;
}

test.each([
  ['nothing', undefined],
  ['too little', 'checkout is down'],
  ['one letter', 'a'.repeat(40)],
  ['a pattern', 'asdf '.repeat(10)],
  ['space', ' '.repeat(40)],
  ['too much', 'why '.repeat(1_000)],
])('%s is refused as a justification', async (_, justification) => {
  const scope = { environment_ids: [environmentId] };
  const opened = api.unchecked.breakGlass.open({ scope, justification });
  expect(await codeOf(opened)).toBe('JUSTIFICATION_REQUIRED');
  if (justification !== undefined) expect(await toggle({ justification })).toBe('JUSTIFICATION_REQUIRED');
});

test('the header may carry a justification in any language', async () => {
  const text = 'Die Kasse fällt aus, Störung 4711, wir müssen zurück.';
  const justification = Buffer.from(text, 'utf8').toString('latin1');
  expect(await toggle({ justification })).toBe('OK');
  expect((await api.breakGlass.list())[0]!.justification).toBe(text);
});

test('a session ends when it is closed or expires, or when its login ends', async () => {
  const closed = await openId();
  await api.breakGlass.close(closed);
  expect(await use(closed)).toBe('BREAK_GLASS_EXPIRED');
  expect(await codeOf(api.breakGlass.close(closed))).toBe('BREAK_GLASS_EXPIRED');

  const login = await enter(server, 'admin@example.com');
  const { id: other } = await open({}, login.api);
  // The session is open, but belongs to another login.
  expect(await refused(api.flags.toggle(flagId, true, { breakGlass: other }))).toMatchObject({
    code: 'BREAK_GLASS_EXPIRED',
    message: expect.stringMatching(/another login opened the break-glass session/),
  });
  await login.api.auth.logout();
  expect(await api.breakGlass.get(other)).toMatchObject({ status: 'closed', close_reason: 'session_ended' });

  const short = await openId({ duration_minutes: 5 });
  expect(await use(short)).toBe('OK');
  server.advance(5 * MINUTE_MS);
  expect(await use(short)).toBe('BREAK_GLASS_EXPIRED');
  expect(await api.breakGlass.get(short)).toMatchObject({
    status: 'closed',
    close_reason: 'expired',
    uses_count: 1,
  });
  expect(await use('bgl_unknown')).toBe('BREAK_GLASS_EXPIRED');
});

test('a session covers only its scope', async () => {
  const { staging, production } = server.environments;
  const otherFlag = await openId({
    scope: { project_ids: [server.projectId], flag_ids: [await createOther()] },
  });
  expect(await use(otherFlag)).toBe('BREAK_GLASS_OUT_OF_SCOPE');
  const elsewhere = await openId({ scope: { environment_ids: [staging] } });
  expect(await use(elsewhere)).toBe('BREAK_GLASS_OUT_OF_SCOPE');
  // Archiving changes every environment.
  const archive = api.flags.archive(flagId, { breakGlass: await openId() });
  expect(await codeOf(archive)).toBe('BREAK_GLASS_OUT_OF_SCOPE');
  const named = await openId({ scope: { environment_ids: [production], flag_ids: [flagId] } });
  expect(await use(named)).toBe('OK');
});

test('an empty scope and a scope with unknown ids are refused', async () => {
  const openFor = (scope: Session['scope']) => open({ scope });
  expect(await codeOf(openFor({}))).toBe('SCOPE_EMPTY');
  expect(await codeOf(openFor({ project_ids: ['prj_x'] }))).toBe('PROJECT_NOT_FOUND');
  const other = await api.projects.create({ key: 'other', name: 'Other' });
  const stray = await refused(openFor({ project_ids: [other.id], flag_ids: [flagId] }));
  expect([stray.code, stray.details.fields?.[0].field]).toEqual(['VALIDATION_ERROR', 'scope.flag_ids.0']);
  const typo = { environment_ids: [environmentId], flag_ids: [flagId, 'flg_x'] };
  expect(await codeOf(openFor(typo))).toBe('FLAG_NOT_FOUND');
});

test('a session bypasses neither validation nor If-Match', async () => {
  const breakGlass = await openId();
  const update = (default_variation: string, options = {}) =>
    codeOf(api.flags.update(flagId, { default_variation }, { breakGlass, ...options }));
  expect(await update('gone')).toBe('DEFAULT_VARIATION_UNKNOWN');
  expect(await update('on', { ifMatch: 99 })).toBe('PRECONDITION_FAILED');
  expect((await api.breakGlass.get(breakGlass)).uses_count).toBe(0);
});

test('a session counts each use, but not dry runs', async () => {
  const breakGlass = await openId();
  const { plan } = await api.dryRun.flags.toggle(flagId, true, { breakGlass });
  expect(plan[0]!.gate.allowed).toBe(true);
  for (const enabled of [true, false, true]) await api.flags.toggle(flagId, enabled, { breakGlass });
  expect((await api.breakGlass.get(breakGlass)).uses_count).toBe(3);
});

test('a justification opens one session for all changes of a call', async () => {
  const flag_ids = [flagId, await createOther()];
  const body = { action: 'toggle' as const, flag_ids, params: { enabled: true } };
  const { results } = await api.flags.bulk(
    { ...body, environment_id: environmentId },
    { justification: REASON },
  );
  expect(results.map(({ status }) => status)).toEqual(['ok', 'ok']);
  const [session, ...others] = await api.breakGlass.list();
  expect([session!.uses_count, others.length]).toEqual([2, 0]);
  // The scope shows the reviewer every flag for which the session was used.
  expect(session!.scope).toEqual({ environment_ids: [environmentId], project_ids: [], flag_ids });
});

test('a new login is necessary when the clock is set back to a time before the last login', async () => {
  server.advance(-60 * MINUTE_MS);
  expect(await codeOf(open())).toBe('REAUTHENTICATION_REQUIRED');
});

test('an unreadable session does not prevent others from being closed', async () => {
  const broken = await openId({ duration_minutes: 5 });
  const other = await openId({ duration_minutes: 5 });
  const row = { scope_json: 'not JSON' };
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

test('a justification opens no session when nothing blocks the call', async () => {
  const [window] = await api.freezeWindows.list();
  await api.freezeWindows.end(window!.id, { comment: 'over' });
  expect(await toggle({ justification: REASON })).toBe('OK');
  expect(await api.breakGlass.list()).toEqual([]);
});

test('a personal token can neither open nor use a session', async () => {
  const { token } = await api.personalTokens.create({ name: 'ci', scopes: ['admin'] });
  const program = server.withToken(token!);
  expect(await codeOf(open({}, program))).toBe('INSUFFICIENT_PERMISSIONS');
  for (const options of [{ justification: REASON }, { breakGlass: await openId() }])
    expect(await codeOf(program.flags.toggle(flagId, true, options))).toBe('INSUFFICIENT_PERMISSIONS');
});

test('a session is reviewed once, after its end, by another admin', async () => {
  const id = await openId();
  const review = (by: Api) =>
    by.breakGlass.review(id, { outcome: 'not_justified', note: 'It could have waited.' });
  expect(await codeOf(review(second))).toBe('BREAK_GLASS_OPEN');
  await api.breakGlass.close(id);
  expect(await codeOf(review(api))).toBe('SELF_REVIEW');
  expect(await review(second)).toMatchObject({
    status: 'reviewed',
    review: { outcome: 'not_justified', by: { email: 'second@example.com' } },
  });
  expect(await codeOf(review(second))).toBe('BREAK_GLASS_REVIEWED');
});

test('a review is overdue after 72 hours, and admins are reminded once a day', async () => {
  const id = await openId();
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
  const overdue = () => mails.filter(({ subject }) => subject.endsWith('is overdue')).map(({ to }) => to);
  await expect.poll(() => overdue().sort()).toEqual(['admin@example.com', 'second@example.com']);
  const later = (await enter(server, 'admin@example.com')).api;
  expect((await later.breakGlass.list({ status: 'overdue' })).map((one) => one.id)).toEqual([id]);
  server.advance(24 * 60 * MINUTE_MS);
  await server.app.runBackground();
  expect(await count('break_glass.overdue')).toBe(2);
  await expect.poll(() => overdue().length).toBe(4);
});

/** Waits until the other admin has received exactly the messages about these events, in any order. */
async function expectMails(...events: string[]): Promise<void> {
  await server.app.runBackground();
  const subjects = () => mails.filter(({ to }) => to === 'second@example.com').map(({ subject }) => subject);
  const expected = events.map((event) => `Break-glass ${event} by admin@example.com`);
  await expect.poll(() => subjects().sort()).toEqual(expected.sort());
}

test('all admins are notified when a session is opened, used and closed', async () => {
  const id = await openId();
  await use(id);
  await api.breakGlass.close(id);
  await expectMails('opened', 'used', 'closed');
  expect(mails.map(({ to }) => to).sort()).toEqual([
    ...Array(3).fill('admin@example.com'),
    ...Array(3).fill('second@example.com'),
  ]);
  expect(mails.find(({ subject }) => subject.includes('opened'))!.text).toContain(REASON);
});

test('one message covers all changes of a call; changes that were rolled back cause none', async () => {
  const flag_ids = [flagId, await createOther()];
  const toggleBoth = (enabled: boolean, options: object) =>
    codeOf(
      api.flags.bulk(
        { action: 'toggle', flag_ids, environment_id: environmentId, params: { enabled }, atomic: true },
        options,
      ),
    );
  const narrow = await openId({ scope: { environment_ids: [environmentId], flag_ids: [flagId] } });
  expect(await toggleBoth(true, { breakGlass: narrow })).toBe('BREAK_GLASS_OUT_OF_SCOPE');
  await expectMails('opened');

  mails.length = 0;
  expect(await toggleBoth(true, { justification: REASON })).toBe('OK');
  await expectMails('opened');
  expect(mails[0]!.text).toContain('used 2 times');
  mails.length = 0;
  expect(await toggleBoth(false, { breakGlass: await openId() })).toBe('OK');
  await expectMails('opened', 'used');
});

test('the mail about a session links to its page', async () => {
  const { id } = await open();
  await server.app.runBackground();
  const page = `/o/${server.organizationId}/p/${server.projectId}/freezes/break-glass/${id}`;
  expect(mails.filter(({ text }) => text.includes(page))).not.toEqual([]);
});

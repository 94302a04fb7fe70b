import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode, totpStep } from '../src/control-plane/features/auth/mfa/totp.ts';
import type { Mail } from '../src/control-plane/mail/mailer.ts';
import {
  AUDIT_ACTIONS,
  PING,
  RULESET_UPDATED,
  WEBHOOK_TYPES,
} from '../src/control-plane/write-gate/audit-actions.ts';
import { createOutbound } from '../src/outbound/outbound.ts';
import { ENDPOINTS } from './endpoints/rows.ts';
import { operationFinder } from './errors/everywhere.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type Answer, booleanFlag, enter, PASSWORD, startServer, type TestServer } from './server.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const REASON = 'Checkout is down; INC-4711 needs this change.';

let server: TestServer;
let receiver: Receiver;
let webhookId: string;
let token: string;
let elapsed = 0;
const mails: Mail[] = [];
/** The operation of each request, by its id. */
const requests = new Map<unknown, string | undefined>();

const now = (): number => Date.parse('2026-11-20T10:00:00.000Z') + elapsed;
const inMinutes = (minutes: number): string => new Date(now() + minutes * MINUTE_MS).toISOString();
const run = () => server.app.runBackground();
const secretIn = (text: string): string => /#token=(\S+)/.exec(text)![1]!;

/** Lets time pass, and the background do what is due. */
async function pass(ms: number): Promise<void> {
  server.advance(ms);
  elapsed += ms;
  token = (await enter(server, 'admin@example.com')).accessToken;
  await run();
}

/** Sends a call as the admin; it must succeed. */
async function send(method: string, url: string, body?: object, headers = {}): Promise<Answer> {
  const answer = await server.call({ method: method as 'GET', url, token, body, headers });
  expect([method, url, answer.body?.error]).toEqual([method, url, undefined]);
  return answer;
}
const post = async (url: string, body: object = {}, headers = {}) =>
  (await send('POST', url, body, headers)).body?.data;
const flagUrl = (id: string, path = '', environment: 'staging' | 'development' = 'staging') =>
  `/flags/${id}${path}?environment_id=${server.environments[environment]}`;
const newFlag = async (key: string, more = {}): Promise<string> =>
  (await post(`/flags?environment_id=${server.environments.staging}`, booleanFlag(key, more))).id;

beforeAll(async () => {
  receiver = await startReceiver();
  const { port } = receiver;
  const started = await startServer({
    outbound: createOutbound({ allowHttp: true, ranges: ['127.0.0.1'], ports: [port] }),
    sendMail: async (mail) => void mails.push(mail),
    random: () => 0.5,
  });
  const operationOf = operationFinder(started);
  const call: TestServer['call'] = async (sent) => {
    const answer = await started.call(sent);
    requests.set(answer.headers['x-request-id'], operationOf(sent.method ?? 'GET', sent.url));
    return answer;
  };
  server = { ...started, call };
  token = server.tokens.admin;
  const events = ['*', RULESET_UPDATED];
  webhookId = (await post('/webhooks', { url: receiver.url, events })).id;
  await run();
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

/** What makes each action happen, by noun. */
const SCENARIOS: Readonly<Record<string, () => Promise<unknown>>> = {
  async flag() {
    const id = await newFlag('flag');
    await send('PUT', flagUrl(id), { name: 'x' });
    await post(flagUrl(id, '/toggle'), { enabled: true });
    await post(flagUrl(id, '/revisions/1/restore'));
    await post(flagUrl(id, '/clone'), { key: 'copy' });
    await send('PUT', flagUrl(id), { default_variation: 'on' });
    await post(`/flags/${id}/promote`, {
      source_environment_id: server.environments.staging,
      target_environment_ids: [server.environments.development],
    });
    await post(flagUrl(id, '/mark-stale'));
    await post(flagUrl(id, '/unmark-stale'));
    await send('DELETE', flagUrl(id));
    await post(flagUrl(id, '/restore'));
    await post(flagUrl(await newFlag('draft', { draft: true }), '/activate'));
  },
  async reserved_key() {
    const id = await newFlag('gone');
    await send('DELETE', flagUrl(id));
    await pass(MINUTE_MS);
    await send('DELETE', `/flags/${id}/permanent?confirm_key=gone`);
    await post(`/projects/${server.projectId}/reserved-keys/gone/release`);
  },
  async code_reference() {
    const url = `/projects/${server.projectId}/code-references`;
    await send('PUT', url, { repository: 'r', branch: 'b', revision: '1', references: [] });
    await send('DELETE', `${url}?repository=r&branch=b`);
  },
  async segment() {
    const { id } = await post(`/projects/${server.projectId}/segments`, { key: 's', conditions: [] });
    await send('PUT', `/segments/${id}`, { name: 'x' });
    await send('DELETE', `/segments/${id}`);
  },
  async project() {
    const { id } = await post('/projects', { key: 'p', name: 'P' });
    await send('PATCH', `/projects/${id}`, { name: 'x' });
    await send('DELETE', `/projects/${id}?confirm_key=p`);
    await post(`/projects/${id}/restore`);
    await send('DELETE', `/projects/${id}?confirm_key=p`);
    const archived_at = inMinutes(-31 * 24 * 60);
    await server.db.updateTable('projects').set({ archived_at }).where('id', '=', id).execute();
    await pass(DAY_MS);
  },
  async environment() {
    const body = { key: 'qa', name: 'QA', type: 'staging' };
    const { id } = await post(`/projects/${server.projectId}/environments`, body);
    await send('PATCH', `/environments/${id}`, { name: 'x' });
    await post(`/environments/${id}/clone`, { key: 'qb', name: 'QB' });
    await send('DELETE', `/environments/${id}?confirm_key=qa`);
  },
  async api_key() {
    const url = `/environments/${server.environments.staging}/api-keys`;
    const { id } = await post(url, { name: 'k', expires_at: inMinutes(10 * 24 * 60) });
    await send('PATCH', `/api-keys/${id}`, { name: 'x' });
    await post(`/api-keys/${id}/rotate`);
    await pass(4 * DAY_MS);
    await send('DELETE', `/api-keys/${id}`);
  },
  async scheduled_change() {
    const id = await newFlag('planned');
    const plan = (more: object, at = 5) =>
      post(`/flags/${id}/scheduled-changes`, {
        environment_id: server.environments.staging,
        execute_at: inMinutes(at),
        changes: [{ op: 'add_tag', tag: 'x' }],
        ...more,
      });
    const first = await plan({});
    await send('PATCH', `/scheduled-changes/${first.id}`, { comment: 'x' });
    await send('DELETE', `/scheduled-changes/${first.id}`);
    await plan({});
    await plan({ changes: [{ op: 'remove_tag', tag: 'unknown' }] }, 6);
    await plan({ changes: [{ op: 'remove_tag', tag: 'unknown' }], on_conflict: 'rebase' }, 7);
    await pass(10 * MINUTE_MS);
    const scope = { environment_ids: [server.environments.staging] };
    await plan({ changes: [{ op: 'set_default', variation: 'on' }] });
    const window = await post('/freeze-windows', { name: 'f', scope });
    await pass(10 * MINUTE_MS);
    await post(`/freeze-windows/${window.id}/end`, { comment: 'over' });
  },
  async freeze_window() {
    const times = { starts_at: inMinutes(30), ends_at: inMinutes(60), notify_before_minutes: 20 };
    const { id } = await post('/freeze-windows', { name: 'f', ...times });
    await send('PATCH', `/freeze-windows/${id}`, { name: 'g' });
    await pass(15 * MINUTE_MS);
    await send('DELETE', `/freeze-windows/${id}`);
  },
  async break_glass() {
    const id = await newFlag('broken');
    const scope = { environment_ids: [server.environments.staging] };
    const window = await post('/freeze-windows', { name: 'f', scope });
    await pass(MINUTE_MS);
    const glass = await post('/break-glass', { scope, justification: REASON });
    await post(flagUrl(id, '/toggle'), { enabled: true }, { 'x-break-glass': glass.id });
    await post(`/break-glass/${glass.id}/close`);
    await post(`/freeze-windows/${window.id}/end`, { comment: 'over' });
    await pass(4 * DAY_MS);
    const other = await enter(server, 'reviewer@example.com');
    const { organizationId } = server;
    await send('PATCH', `/organizations/${organizationId}/members/${other.id}`, { role: 'admin' });
    const review = { method: 'POST', url: `/break-glass/${glass.id}/review` } as const;
    const body = { outcome: 'justified', note: 'It was down.' };
    expect((await server.call({ ...review, token: other.accessToken, body })).status).toBe(200);
  },
  async import() {
    const document = {
      apiVersion: 'flagsvc/v1',
      kind: 'Project',
      flags: [documentFlag('a', 'staging'), documentFlag('b', 'staging')],
    };
    const plan = (text: object) => post(`/projects/${server.projectId}/imports`, { document: text });
    const apply = async (planned: { id: string }) =>
      post(`/imports/${planned.id}/apply`, {}, { prefer: 'wait=10' });
    expect((await apply(await plan(document))).status).toBe('applied');
    const scope = { environment_ids: [server.environments.staging] };
    // The first change is let through: what is refused at once is no import that has failed.
    const flags = [documentFlag('a', 'development'), documentFlag('b', 'staging', false)];
    const refused = await plan({ ...document, flags });
    const window = await post('/freeze-windows', { name: 'f', scope });
    expect((await apply(refused)).status).toBe('failed');
    await post(`/freeze-windows/${window.id}/end`, { comment: 'over' });
  },
  async export() {
    await send('GET', `/projects/${server.projectId}/export`);
  },
  async webhook() {
    const { id } = await post('/webhooks', { url: receiver.url, events: ['segment.*'] });
    await send('PATCH', `/webhooks/${id}`, { description: 'x' });
    await post(`/webhooks/${id}/rotate-secret`);
    await post(`/webhooks/${webhookId}/test`);
    await SCENARIOS['segment']!();
    // The first webhook hears of it as well; whichever is gone first is enabled again.
    receiver.answer({ status: 410 });
    await run();
    receiver.answer({ status: 204 });
    for (const one of [id, webhookId]) await post(`/webhooks/${one}/enable`);
    await post(`/webhooks/${id}/replay`, { from: inMinutes(-60), to: inMinutes(1) });
    const deliveries = await send('GET', `/webhooks/${id}/deliveries`);
    await post(`/webhook-messages/${deliveries.body.data[0].message_id}/redeliver`);
    await send('DELETE', `/webhooks/${id}`);
  },
  async organization() {
    await send('PATCH', `/organizations/${server.organizationId}`, { name: 'x' });
  },
  async retention() {
    const settings = { audit_retention_days: 90 };
    await send('PATCH', `/organizations/${server.organizationId}`, { settings });
    // As one of long ago: its id tells its time.
    const { id } = await server.db
      .selectFrom('audit_entries')
      .select('id')
      .where('action', '=', 'auth.login')
      .executeTakeFirstOrThrow();
    const old = { id: 'evt_00000000000000000000000000' };
    await server.db.updateTable('audit_entries').set(old).where('id', '=', id).execute();
    await pass(DAY_MS);
    await send('PATCH', `/organizations/${server.organizationId}`, {
      settings: { audit_retention_days: null },
    });
  },
  async member() {
    const members = `/organizations/${server.organizationId}`;
    const invite = (email: string) => post(`${members}/invitations`, { email, role: 'viewer' });
    const unwanted = await invite('unwanted@example.com');
    await post(`${members}/invitations/${unwanted.id}/resend`);
    await send('DELETE', `${members}/invitations/${unwanted.id}`);
    const { accept_url } = await invite('guest@example.com');
    const { id } = await post('/auth/invitations/accept', {
      token: secretIn(accept_url),
      password: PASSWORD,
    });
    await send('PATCH', `${members}/members/${id}`, { role: 'editor' });
    await send('PATCH', `${members}/members/${id}`, { environment_ids: [server.environments.staging] });
    await send('PUT', `/projects/${server.projectId}/members/${id}`, { role: 'admin' });
    const at = inMinutes(0);
    const factor = { user_id: id, secret_sealed: 'x', created_at: at, confirmed_at: at, last_step: 0 };
    await server.db.insertInto('totp_factors').values(factor).execute();
    await post('/auth/reauthenticate', { password: PASSWORD });
    await post(`${members}/members/${id}/reset-mfa`);
    await send('DELETE', `${members}/members/${id}`);
  },
  async personal_token() {
    const { id } = await post('/auth/tokens', { name: 'x', scopes: ['read'] });
    await send('DELETE', `/auth/tokens/${id}`);
  },
  async service_account() {
    const { id } = await post('/service-accounts', { name: 'x', role: 'viewer' });
    await send('PATCH', `/service-accounts/${id}`, { role: 'editor' });
    const token = await post(`/service-accounts/${id}/tokens`, { name: 'x', scopes: ['read'] });
    await send('DELETE', `/service-accounts/${id}/tokens/${token.id}`);
    await send('DELETE', `/service-accounts/${id}`);
  },
  async auth() {
    const email = 'ada@example.com';
    const first = await enter(server, email);
    const as = (accessToken: string) => (method: string, url: string, body?: object) =>
      server.call({ method: method as 'POST', url, token: accessToken, body });
    const call = as(first.accessToken);
    const segment = { key: 'x', conditions: [] };
    expect((await call('POST', `/projects/${server.projectId}/segments`, segment)).status).toBe(403);
    await call('POST', '/auth/reauthenticate', { password: PASSWORD });
    const secret = (await call('POST', '/auth/mfa/totp')).body.data.secret;
    const code = totpCode(secret, totpStep(now()));
    const confirmed = await call('POST', '/auth/mfa/totp/confirm', { code });
    const half = await as('')('POST', '/auth/login', { email, password: PASSWORD });
    const { mfa_token } = half.body.error.details;
    const [recovery_code] = confirmed.body.data.recovery_codes;
    const whole = await as('')('POST', '/auth/mfa/verify', { mfa_token, code: recovery_code });
    expect(whole.status).toBe(200);
    await call('POST', '/auth/mfa/recovery-codes');
    await call('DELETE', '/auth/mfa/totp');
    await enter(server, email);
    const sessions = await call('GET', '/auth/sessions');
    await call('DELETE', `/auth/sessions/${sessions.body.data[0].id}`);
    await enter(server, email);
    await call('DELETE', '/auth/sessions');
    await call('POST', '/auth/password/change', { current_password: PASSWORD, new_password: PASSWORD });
    await post('/auth/password/forgot', { email });
    while (mails.at(-1)?.to !== email) await new Promise((resolve) => setTimeout(resolve, 5));
    await post('/auth/password/reset', { token: secretIn(mails.at(-1)!.text), password: PASSWORD });
    const last = await enter(server, email);
    await as(last.accessToken)('POST', '/auth/logout');
    const refresh_token = last.refreshToken;
    await as('')('POST', '/auth/refresh', { refresh_token });
    await as('')('POST', '/auth/login', { email, password: 'wrong password' });
  },
};

/** A flag of a document, with its switch in one environment. */
function documentFlag(key: string, environment: string, enabled = true) {
  return { ...booleanFlag(key), environments: { [environment]: { enabled } } };
}

/** Runs last: it takes weeks. */
async function archivingOfStaleFlags(): Promise<void> {
  await send('PATCH', `/projects/${server.projectId}`, {
    settings: { stale_policy: { auto_archive_after_days: 15 } },
  });
  await post(flagUrl(await newFlag('left'), '/mark-stale'));
  await pass(2 * DAY_MS);
}

test('does everything that the audit log has a name for, and nothing else', async () => {
  for (const scenario of Object.values(SCENARIOS)) await scenario();
  await archivingOfStaleFlags();
  const rows = await server.db.selectFrom('audit_entries').select('action').distinct().execute();
  const known = Object.entries(AUDIT_ACTIONS).flatMap(([noun, actions]) =>
    actions.map((action) => `${noun}.${action}`),
  );
  expect(Object.keys(SCENARIOS)).toEqual(expect.arrayContaining(Object.keys(AUDIT_ACTIONS)));
  expect(rows.map(({ action }) => action).sort()).toEqual(known.sort());
});

test('every operation that changes something past the write gate writes the entry that its row names', async () => {
  const entries = await server.db.selectFrom('audit_entries').select(['action', 'request_id']).execute();
  const written = new Set(entries.map(({ action, request_id }) => `${requests.get(request_id)} ${action}`));
  const named = Object.entries(ENDPOINTS).flatMap(([name, { audit }]) =>
    typeof audit === 'string' ? [`${name} ${audit}`] : [],
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((pair) => !written.has(pair))).toEqual([]);
});

test('keeps e-mail addresses out of the hashed content of every action', async () => {
  const rows = await server.db.selectFrom('audit_entries').select('content_json').execute();
  const personal = rows.filter(({ content_json }) => content_json?.includes('@example.com') ?? true);
  expect(personal).toEqual([]);
});

test('tells webhooks of each type that the document describes, and of no other', async () => {
  await run();
  const rows = await server.db.selectFrom('webhook_messages').select('type').distinct().execute();
  const types = rows.map(({ type }) => type).sort();
  const { webhooks } = (await server.call({ url: '/openapi.json' })).body;
  expect(types).toEqual(Object.keys(webhooks).sort());
  expect(types).toEqual([...WEBHOOK_TYPES, PING].sort());
});

test.each([
  ['flag.toggle', /flag\.toggled/],
  ['nothing.*', /flag\.\*.*segment\.\*/],
  ['auth.login', /flag\.\*/],
])('refuses a webhook that asks for %s, and names what there is', async (event, known) => {
  const body = { url: receiver.url, events: ['flag.toggled', event] };
  const refused = await server.call({ method: 'POST', url: '/webhooks', token, body });
  expect(refused.status).toBe(400);
  const [field] = refused.body.error.details.fields;
  expect(field).toMatchObject({ field: 'events.1', code: 'unknown', message: expect.stringMatching(known) });
});

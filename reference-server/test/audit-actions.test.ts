import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode, totpStep } from '../src/control-plane/features/auth/mfa/totp.ts';
import {
  AUDIT_ACTIONS,
  PING,
  RULESET_UPDATED,
  WEBHOOK_TYPES,
} from '../src/control-plane/write-gate/audit-actions.ts';
import { createOutbound } from '../src/outbound/outbound.ts';
import type { OutgoingMail as Mail } from '../src/outbound/send-mail.ts';
import { type Api, createApi } from './api.ts';
import { type Body, codeOf, refused } from './api-call.ts';
import { ENDPOINTS } from './endpoints/rows.ts';
import { operationFinder } from './errors/everywhere.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { booleanFlag, enter, type FlagBody, PASSWORD, startServer, type TestServer } from './server.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const REASON = 'Checkout is down; INC-4711 needs this change.';

let server: TestServer;
let receiver: Receiver;
let webhookId: string;
/** The admin's client of the API, with staging as its environment. */
let api: Api;
let elapsed = 0;
const mails: Mail[] = [];
/** Operation ids by request id. */
const requests = new Map<unknown, string | undefined>();

const now = (): number => Date.parse('2026-11-20T10:00:00.000Z') + elapsed;
const inMinutes = (minutes: number): string => new Date(now() + minutes * MINUTE_MS).toISOString();
const run = () => server.app.runBackground();
const tokenIn = (text: string): string => /#token=(\S+)/.exec(text)![1]!;

/** Moves the clock, logs in again and runs the due jobs. */
async function pass(ms: number): Promise<void> {
  server.advance(ms);
  elapsed += ms;
  api = (await enter(server, 'admin@example.com')).api.in(server.environments.staging);
  await run();
}

const newFlag = async (key: string, more: Partial<FlagBody> = {}): Promise<string> =>
  (await api.flags.create(booleanFlag(key, more))).id;

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
  server = { ...started, call, anonymous: createApi({ transport: call }) };
  const environmentId = server.environments.staging;
  api = createApi({ transport: call, token: server.tokens.admin, environmentId });
  webhookId = (await api.webhooks.create({ url: receiver.url, events: ['*', RULESET_UPDATED] })).id;
  await run();
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

/** Functions that together cause every audit action, by the noun of the action. */
const SCENARIOS: Readonly<Record<string, () => Promise<unknown>>> = {
  async flag() {
    const { flags } = api;
    const id = await newFlag('flag');
    await flags.update(id, { name: 'x' });
    await flags.toggle(id, true);
    await flags.restoreRevision(id, 1);
    await flags.clone(id, { key: 'copy' });
    await flags.update(id, { default_variation: 'on' });
    await flags.promote(id, {
      source_environment_id: server.environments.staging,
      target_environment_ids: [server.environments.development],
    });
    await flags.markStale(id);
    await flags.unmarkStale(id);
    await flags.archive(id);
    await flags.restore(id);
    await flags.activate(await newFlag('draft', { draft: true }));
  },
  async reserved_key() {
    const id = await newFlag('gone');
    await api.flags.archive(id);
    await pass(MINUTE_MS);
    await api.flags.delete(id, { confirm_key: 'gone' });
    await api.projects.releaseKey(server.projectId, 'gone');
  },
  async code_reference() {
    const branch = { repository: 'r', branch: 'b' };
    await api.codeReferences.put(server.projectId, { ...branch, revision: '1', references: [] });
    await api.codeReferences.remove(server.projectId, branch);
  },
  async segment() {
    const { id } = await api.segments.create(server.projectId, { key: 's', conditions: [] });
    await api.segments.update(id, { name: 'x' });
    await api.segments.delete(id);
  },
  async project() {
    const { projects } = api;
    const { id } = await projects.create({ key: 'p', name: 'P' });
    await projects.update(id, { name: 'x' });
    await projects.archive(id, { confirm_key: 'p' });
    await projects.restore(id);
    await projects.archive(id, { confirm_key: 'p' });
    const archived_at = inMinutes(-31 * 24 * 60);
    await server.db.updateTable('projects').set({ archived_at }).where('id', '=', id).execute();
    await pass(DAY_MS);
  },
  async environment() {
    const { environments } = api;
    const { id } = await environments.create(server.projectId, { key: 'qa', name: 'QA', type: 'staging' });
    await environments.update(id, { name: 'x' });
    await environments.clone(id, { key: 'qb', name: 'QB' });
    await environments.order(server.projectId, { environment_ids: [id] });
    await environments.archive(id);
    await environments.restore(id);
    await environments.delete(id, { confirm_key: 'qa' });
  },
  async api_key() {
    const key = { name: 'k', expires_at: inMinutes(10 * 24 * 60) };
    const { id } = await api.apiKeys.create(server.environments.staging, key);
    await api.apiKeys.update(id, { name: 'x' });
    await api.apiKeys.rotate(id, {});
    await pass(4 * DAY_MS);
    await api.apiKeys.revoke(id);
  },
  async scheduled_change() {
    const id = await newFlag('planned');
    const plan = (more: Partial<Body<'POST /flags/{flag_id}/scheduled-changes'>>, minutes = 5) =>
      api.scheduledChanges.create(id, {
        environment_id: server.environments.staging,
        execute_at: inMinutes(minutes),
        changes: [{ op: 'add_tag', tag: 'x' }],
        ...more,
      });
    const first = await plan({});
    await api.scheduledChanges.update(first.id, { comment: 'x' });
    await api.scheduledChanges.cancel(first.id);
    await plan({});
    await plan({ changes: [{ op: 'remove_tag', tag: 'unknown' }] }, 6);
    await plan({ changes: [{ op: 'remove_tag', tag: 'unknown' }], on_conflict: 'rebase' }, 7);
    await pass(10 * MINUTE_MS);
    await plan({ changes: [{ op: 'set_default', variation: 'on' }] });
    const endFreeze = await freezeStaging();
    await pass(10 * MINUTE_MS);
    await endFreeze();
  },
  async freeze_window() {
    const times = { starts_at: inMinutes(30), ends_at: inMinutes(60), notify_before_minutes: 20 };
    const { id } = await api.freezeWindows.create({ name: 'f', ...times });
    await api.freezeWindows.update(id, { name: 'g' });
    await pass(15 * MINUTE_MS);
    await api.freezeWindows.cancel(id);
  },
  async break_glass() {
    const id = await newFlag('broken');
    const scope = { environment_ids: [server.environments.staging] };
    const endFreeze = await freezeStaging();
    await pass(MINUTE_MS);
    const session = await api.breakGlass.open({ scope, justification: REASON });
    await api.flags.toggle(id, true, { breakGlass: session.id });
    await api.breakGlass.close(session.id);
    await endFreeze();
    await pass(4 * DAY_MS);
    const reviewer = await enter(server, 'reviewer@example.com');
    await api.members.update(server.organizationId, reviewer.id, { role: 'admin' });
    await reviewer.api.breakGlass.review(session.id, { outcome: 'justified', note: 'It was down.' });
  },
  async import() {
    const document = {
      apiVersion: 'flagsvc/v1',
      kind: 'Project',
      flags: [documentFlag('a', 'staging'), documentFlag('b', 'staging')],
    };
    const plan = (text: Record<string, unknown>) => api.imports.create(server.projectId, { document: text });
    const apply = async ({ id }: { id: string }) =>
      (await api.imports.apply(id, {}, { headers: { prefer: 'wait=10' } })).status;
    expect(await apply(await plan(document))).toBe('applied');
    // The first change must be allowed: an import that is refused as a whole does not count as failed.
    const flags = [documentFlag('a', 'development'), documentFlag('b', 'staging', false)];
    const refusedLater = await plan({ ...document, flags });
    const endFreeze = await freezeStaging();
    expect(await apply(refusedLater)).toBe('failed');
    await endFreeze();
  },
  async export() {
    await api.imports.export(server.projectId);
  },
  async webhook() {
    const { webhooks } = api;
    const { id } = await webhooks.create({ url: receiver.url, events: ['segment.*'] });
    await webhooks.update(id, { description: 'x' });
    await webhooks.rotateSecret(id, {});
    await webhooks.test(webhookId);
    await SCENARIOS['segment']!();
    // Both webhooks receive the messages, so the answer 410 may disable either of them.
    receiver.answer({ status: 410 });
    await run();
    receiver.answer({ status: 204 });
    for (const one of [id, webhookId]) await webhooks.enable(one);
    await webhooks.replay(id, { from: inMinutes(-60), to: inMinutes(1) });
    const [delivery] = await webhooks.deliveries(id);
    await webhooks.redeliver(delivery!.message_id);
    await webhooks.delete(id);
  },
  async organization() {
    await api.organizations.update(server.organizationId, { name: 'x' });
  },
  async erasure() {
    await api.erasures.create({ user_key: 'user-4711' });
    await pass(MINUTE_MS);
  },
  async mail() {
    await api.instance.testMail({ email: 'someone@example.com' });
  },
  async retention() {
    const keepFor = (audit_retention_days: number | null) =>
      api.organizations.update(server.organizationId, { settings: { audit_retention_days } });
    await keepFor(90);
    // Makes an entry old by replacing its id, which contains its time.
    const { id } = await server.db
      .selectFrom('audit_entries')
      .select('id')
      .where('action', '=', 'auth.login')
      .executeTakeFirstOrThrow();
    const old = { id: 'evt_00000000000000000000000000' };
    await server.db.updateTable('audit_entries').set(old).where('id', '=', id).execute();
    await pass(DAY_MS);
    await keepFor(null);
  },
  async member() {
    const { organizationId, projectId } = server;
    const { invitations, members } = api;
    const invite = (email: string) => invitations.create(organizationId, { email, role: 'viewer' });
    const unwanted = await invite('unwanted@example.com');
    await invitations.resend(organizationId, unwanted.id);
    await invitations.revoke(organizationId, unwanted.id);
    const { accept_url } = await invite('guest@example.com');
    const guest = { token: tokenIn(accept_url!), password: PASSWORD };
    const { id } = await server.anonymous.auth.acceptInvitation(guest);
    await members.update(organizationId, id, { role: 'editor' });
    await members.update(organizationId, id, { environment_ids: [server.environments.staging] });
    await members.setProjectRole(projectId, id, { role: 'admin' });
    const at = inMinutes(0);
    const factor = { user_id: id, secret_sealed: 'x', created_at: at, confirmed_at: at, last_step: 0 };
    await server.db.insertInto('totp_factors').values(factor).execute();
    await api.auth.reauthenticate({ password: PASSWORD });
    await members.resetMfa(organizationId, id, {});
    await members.remove(organizationId, id);
  },
  async personal_token() {
    const { id } = await api.personalTokens.create({ name: 'x', scopes: ['read'] });
    await api.personalTokens.revoke(id);
  },
  async service_account() {
    const { serviceAccounts } = api;
    const { id } = await serviceAccounts.create({ name: 'x', role: 'viewer' });
    await serviceAccounts.update(id, { role: 'editor' });
    const token = await serviceAccounts.createToken(id, { name: 'x', scopes: ['read'] });
    const { id: second } = await serviceAccounts.rotateToken(id, token.id);
    await serviceAccounts.revokeToken(id, second);
    await serviceAccounts.delete(id);
  },
  async auth() {
    const email = 'ada@example.com';
    const { api: ada } = await enter(server, email);
    const segment = { key: 'x', conditions: [] };
    expect(await codeOf(ada.segments.create(server.projectId, segment))).toBe('INSUFFICIENT_PERMISSIONS');
    await ada.auth.reauthenticate({ password: PASSWORD });
    const { secret } = await ada.mfa.start();
    const { recovery_codes } = await ada.mfa.confirm({ code: totpCode(secret, totpStep(now())) });
    const { details } = await refused(server.anonymous.auth.login({ email, password: PASSWORD }));
    await server.anonymous.mfa.verify({ mfa_token: details.mfa_token, code: recovery_codes[0]! });
    await ada.mfa.renewRecoveryCodes();
    await ada.mfa.remove();
    await enter(server, email);
    const [session] = await ada.sessions.list();
    await ada.sessions.revoke(session!.id);
    await enter(server, email);
    await ada.sessions.revokeOthers();
    await ada.auth.updateMe({ full_name: 'Ada' });
    await ada.auth.changePassword({ current_password: PASSWORD, new_password: PASSWORD });
    await server.anonymous.auth.forgotPassword({ email });
    await expect.poll(() => mails.at(-1)?.text).toContain('#token=');
    const reset = { token: tokenIn(mails.at(-1)!.text), password: PASSWORD };
    await server.anonymous.auth.resetPassword(reset);
    const last = await enter(server, email);
    await last.api.auth.logout();
    await codeOf(server.anonymous.auth.refresh({ refresh_token: last.refreshToken }));
    await codeOf(server.anonymous.auth.login({ email, password: 'wrong password' }));
  },
};

/** Freezes staging. Returns a function that ends the freeze. */
async function freezeStaging(): Promise<() => Promise<unknown>> {
  const scope = { environment_ids: [server.environments.staging] };
  const { id } = await api.freezeWindows.create({ name: 'f', scope });
  return () => api.freezeWindows.end(id, { comment: 'over' });
}

/** A flag in an import document, with its state in one environment. */
function documentFlag(key: string, environment: string, enabled = true) {
  return { ...booleanFlag(key), environments: { [environment]: { enabled } } };
}

/** Moves the clock until a background job announces that it will archive a stale flag. */
async function announceArchiving(): Promise<void> {
  const settings = { stale_policy: { auto_archive_after_days: 15 } };
  await api.projects.update(server.projectId, { settings });
  await api.flags.markStale(await newFlag('left'));
  await pass(2 * DAY_MS);
}

test('causes every action of the audit log, and no others', async () => {
  for (const scenario of Object.values(SCENARIOS)) await scenario();
  await announceArchiving();
  const rows = await server.db.selectFrom('audit_entries').select('action').distinct().execute();
  const known = Object.entries(AUDIT_ACTIONS).flatMap(([noun, actions]) =>
    actions.map((action) => `${noun}.${action}`),
  );
  expect(Object.keys(SCENARIOS)).toEqual(expect.arrayContaining(Object.keys(AUDIT_ACTIONS)));
  expect(rows.map(({ action }) => action).sort()).toEqual(known.sort());
});

test('writes the audit entry that test/endpoints/rows.ts names for each operation', async () => {
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

test('delivers webhook messages of exactly the types that /openapi.json lists', async () => {
  await run();
  const rows = await server.db.selectFrom('webhook_messages').select('type').distinct().execute();
  const types = rows.map(({ type }) => type).sort();
  const { webhooks } = (await server.anonymous.raw({ url: '/openapi.json' })).body;
  expect(types).toEqual(Object.keys(webhooks).sort());
  expect(types).toEqual([...WEBHOOK_TYPES, PING].sort());
});

test.each([
  ['flag.toggle', /flag\.toggled/],
  ['nothing.*', /flag\.\*.*segment\.\*/],
  ['auth.login', /flag\.\*/],
])('refuses a webhook for %s, and names the known types', async (event, known) => {
  const events = ['flag.toggled', event];
  const { details } = await refused(api.webhooks.create({ url: receiver.url, events }));
  expect(details.fields[0]).toMatchObject({
    field: 'events.1',
    code: 'unknown',
    message: expect.stringMatching(known),
  });
});

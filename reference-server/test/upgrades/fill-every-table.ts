import { totpCode, totpStep } from '../../src/control-plane/features/auth/mfa/totp.ts';
import type { Api } from '../api.ts';
import { createImports, documentFlag, documentOf, fillProject } from '../imports.ts';
import { booleanFlag, enter, PASSWORD } from '../server.ts';
import { createAccounts } from '../service-account.ts';
import type { WebhookServer } from '../webhook-server.ts';

/** The clock of a test server starts here and advances by a millisecond with each call. */
const START = Date.parse('2026-11-20T10:00:00.000Z');
const FLAGS = 12;
const USERS = 10;
export const FLAG_KEYS = ['base', 'colour', ...Array.from({ length: FLAGS }, (_, index) => `flag-${index}`)];
export const ADMIN = { email: 'admin@example.com', password: PASSWORD };

/** What a client can read from a filled database, and must still read after an upgrade. */
export interface Facts {
  /** A server key of production. */
  readonly apiKey: string;
  readonly flags: readonly { readonly key: string; readonly id: string; readonly enabled: boolean }[];
  /** Values by user key and flag key. */
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly auditEntries: number;
  readonly historyOfFirstFlag: number;
}

/** Uses every feature of a new server through its API, so that each table has rows. Returns what clients then read. */
export async function fillEveryTable(webhooks: WebhookServer): Promise<Facts> {
  const { server } = webhooks;
  await webhooks.createWebhook();
  const { key: apiKey } = await webhooks.api.apiKeys.create(server.environments.production, { name: 'shop' });
  await configureFlags(webhooks);
  await addPeople(webhooks);
  await govern(webhooks);
  await addCodeReferences(webhooks.api, server.projectId);
  await exchangeProjects(webhooks.api, server.projectId);
  await useDataPlane(webhooks, apiKey!);
  await webhooks.api.erasures.create({ user_key: 'user-erased' });
  await webhooks.run();
  return readFacts(webhooks.api, (context) => evaluate(webhooks, apiKey!, context), apiKey!);
}

/** Reads the facts through the API. */
export async function readFacts(
  api: Api,
  evaluateFor: (userKey: string) => Promise<Readonly<Record<string, unknown>>>,
  apiKey: string,
): Promise<Facts> {
  const found = await api.flags.list({ per_page: 100 });
  const flags = found
    .map(({ id, key, enabled }) => ({ id, key, enabled }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const users = Array.from({ length: USERS }, (_, index) => `user-${index}`);
  const values = await Promise.all(users.map(async (user) => [user, await evaluateFor(user)] as const));
  const history = await api.flags.history(flags[0]!.id).answer;
  const log = await api.audit.list({ to: '2026-11-21T00:00:00.000Z' }).answer;
  return {
    apiKey,
    flags,
    values: Object.fromEntries(values),
    auditEntries: log.body.meta.total,
    historyOfFirstFlag: history.body.meta.total,
  };
}

async function evaluate({ server }: WebhookServer, apiKey: string, user_key: string) {
  const attributes = { email: `${user_key}@example.com`, plan: 'pro' };
  const { evaluations } = await server
    .withKey(apiKey)
    .dataPlane.evaluate({ flags: FLAG_KEYS, context: { user_key, attributes } });
  return valuesOf(evaluations);
}

/** The value of each flag. */
export function valuesOf(evaluations: Readonly<Record<string, { readonly value: unknown }>>) {
  return Object.fromEntries(Object.entries(evaluations).map(([key, { value }]) => [key, value]));
}

async function configureFlags({ server, api }: WebhookServer): Promise<void> {
  await fillProject(api, server.projectId);
  const rollout = [
    { variation: 'on', percentage: 40 },
    { variation: 'off', percentage: 60 },
  ];
  for (let index = 0; index < FLAGS; index++) {
    const { id } = await api.flags.create(booleanFlag(`flag-${index}`, { tags: [`team-${index % 3}`] }));
    await api.flags.update(id, {
      targeting_rules: [
        {
          priority: 1,
          name: 'pro',
          conditions: [{ attribute: 'plan', operator: 'is', value: 'pro' }],
          percentage_rollout: rollout,
        },
      ],
    });
    if (index % 2 === 0) await api.flags.toggle(id, true, { idempotencyKey: `toggle-${index}` });
    if (index === FLAGS - 1) await api.flags.archive(id);
  }
  const gone = await api.flags.create(booleanFlag('gone'));
  await api.flags.archive(gone.id);
  await api.flags.delete(gone.id, { confirm_key: 'gone' });
}

async function addPeople({ server, api }: WebhookServer): Promise<void> {
  const viewer = await enter(server, 'viewer@example.com');
  await api.members.setProjectRole(server.projectId, viewer.id, { role: 'editor' });
  await api.invitations.create(server.organizationId, { email: 'new@example.com', role: 'viewer' });
  await server.anonymous.auth.forgotPassword({ email: 'editor@example.com' });
  await api.personalTokens.create({ name: 'laptop', scopes: ['read'] });
  const careful = await enter(server, 'careful@example.com');
  const { secret } = await careful.api.mfa.start();
  await careful.api.mfa.confirm({ code: totpCode(secret, totpStep(START)) });
  await api.preferences.put({ theme: 'dark' });
  const accounts = createAccounts(server);
  const { id } = await accounts.create({
    role: 'viewer',
    project_roles: [{ project_id: server.projectId, role: 'editor' }],
  });
  await accounts.issueToken(id);
}

async function govern({ server, api }: WebhookServer): Promise<void> {
  const { development, production } = server.environments;
  const [flag] = await api.flags.list({ per_page: 1 });
  await api.scheduledChanges.create(flag!.id, {
    environment_id: development,
    execute_at: '2028-06-01T00:00:00.000Z',
    changes: [{ op: 'set_enabled', enabled: true }],
  });
  await api.freezeWindows.create({
    name: 'New Year',
    scope: { environment_types: ['production'] },
    starts_at: '2027-12-30T00:00:00.000Z',
    ends_at: '2028-01-02T00:00:00.000Z',
  });
  const session = await api.breakGlass.open({
    scope: { environment_ids: [production] },
    justification: 'Checkout is down; INC-4711 needs this change.',
  });
  await api.flags.toggle(flag!.id, !flag!.enabled, { breakGlass: session.id });
  await api.breakGlass.close(session.id);
}

async function addCodeReferences(api: Api, projectId: string): Promise<void> {
  const snapshot = { repository: 'github.com/acme/shop', branch: 'main' };
  const references = ['flag-1', 'flag-2'].map((flag_key, line) => ({
    flag_key,
    path: 'a.ts',
    line: line + 1,
  }));
  await api.codeReferences.put(projectId, { ...snapshot, revision: 'a1', references });
  await api.codeReferences.put(projectId, { ...snapshot, revision: 'b2', references: references.slice(1) });
}

async function exchangeProjects(api: Api, projectId: string): Promise<void> {
  const imports = createImports(api);
  await imports.run(projectId, documentOf([documentFlag('imported')]));
}

async function useDataPlane({ server, api, run }: WebhookServer, apiKey: string): Promise<void> {
  await api.environments.update(server.environments.production, { record_contexts: true });
  await run();
  const { dataPlane } = server.withKey(apiKey);
  for (let index = 0; index < USERS; index++) {
    await dataPlane.evaluate({
      flags: FLAG_KEYS,
      context: { user_key: `user-${index}`, attributes: { plan: 'pro' } },
    });
  }
  const timestamp = new Date(START).toISOString();
  const outcome = { variation_key: 'on', reason: 'PERCENTAGE_ROLLOUT', rule_id: null, ruleset_version: 1 };
  await dataPlane.sendEvents({
    batch_id: 'batch-1',
    sent_at: timestamp,
    sdk: { name: 'node', version: '1' },
    events: [
      {
        type: 'summary',
        start: timestamp,
        end: timestamp,
        counters: [{ ...outcome, flag_key: 'flag-0', count: 3 }],
      },
      { type: 'exposure', id: 'exposure-1', timestamp, ...outcome, flag_key: 'flag-0', user_key: 'user-0' },
      { type: 'track', id: 'track-1', timestamp, event_name: 'paid', user_key: 'user-0', value: 9.5 },
    ],
  } as never);
}

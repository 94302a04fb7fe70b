import type { Api } from '../api.ts';
import { booleanFlag, type TestServer } from '../server.ts';
import { DOCUMENT, SNAPSHOT, samplesFor } from './samples.ts';

/** Resources that every operation can act on. */
export interface Targets {
  /** Values of path and query parameters by name. */
  readonly ids: Readonly<Record<string, string | undefined>>;
  /** A valid body by operation. */
  readonly samples: Readonly<Record<string, object>>;
  /** An API key for a path of the data plane: that of a relay for the endpoints of relays. */
  readonly keyFor: (path: string) => string;
}

/** Creates one resource of each kind, in staging. */
export async function createTargets(server: TestServer, admin = server.as('admin')): Promise<Targets> {
  const { projectId, organizationId } = server;
  const { staging, development } = server.environments;
  const api = admin.in(staging);
  const flag = await api.flags.create(booleanFlag('fuzzed', { tags: ['fuzzed'] }));
  const samples = samplesFor({ stagingId: staging, developmentId: development, flagId: flag.id });
  const ids = {
    organization_id: organizationId,
    project_id: projectId,
    environment_id: staging,
    source: staging,
    target: staging,
    flag_id: flag.id,
    segment_id: (await api.segments.create(projectId, { key: 'fuzzed', conditions: [] })).id,
    key_id: (await api.apiKeys.create(staging, { name: 'fuzzed' })).id,
    import_id: (await api.imports.create(projectId, { document: DOCUMENT })).id,
    key: 'fuzzed',
    tag: 'fuzzed',
    q: 'fuzz',
    revision: '1',
    other: '1',
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-12-01T00:00:00.000Z',
    repository: SNAPSHOT.repository,
    branch: SNAPSHOT.branch,
    ...(await webhookIds(server, api)),
    ...(await peopleIds(api, organizationId)),
    ...(await governanceIds(api, flag.id, samples)),
  };
  await api.codeReferences.put(projectId, SNAPSHOT);
  const { key } = await api.apiKeys.create(staging, { name: 'data plane' });
  const { key: relayKey } = await api.apiKeys.create(staging, { name: 'relay', kind: 'relay' });
  return { ids, samples, keyFor: (path) => (path.includes('/relay/') ? relayKey! : key!) };
}

/** A webhook with a failed message. Its events do not occur, so no test waits for a delivery. */
async function webhookIds({ db, organizationId }: TestServer, api: Api) {
  const webhook = await api.webhooks.create({
    url: 'https://hooks.example.com/flags',
    events: ['segment.*'],
  });
  const message_id = 'msg_fuzzed';
  await db
    .insertInto('webhook_messages')
    .values({
      organization_id: organizationId,
      webhook_id: webhook.id,
      id: message_id,
      type: 'ping',
      body: '{}',
      status: 'failed',
      attempts: 1,
      next_attempt_at: null,
      once: 1,
      created_at: webhook.created_at,
    })
    .execute();
  return { webhook_id: webhook.id, message_id };
}

async function peopleIds(api: Api, organizationId: string) {
  const [, , member] = await api.members.list(organizationId);
  const [entry] = await api.audit.list();
  const account = await api.serviceAccounts.create({ name: 'fuzzed', role: 'editor' });
  const token = { name: 'fuzzed', scopes: ['read' as const] };
  const invitation = { email: 'guest@example.com', role: 'viewer' as const };
  return {
    user_id: member!.id,
    audit_entry_id: entry!.id,
    session_id: 'ses_x',
    token_id: (await api.personalTokens.create(token)).id,
    service_account_id: account.id,
    service_token_id: (await api.serviceAccounts.createToken(account.id, token)).id,
    invitation_id: (await api.invitations.create(organizationId, invitation)).id,
  };
}

/** The freeze window begins years later: otherwise it would block every other operation. */
async function governanceIds(api: Api, flagId: string, samples: Targets['samples']) {
  const { freezeWindows, breakGlass, scheduledChanges } = api.unchecked;
  return {
    freeze_window_id: (await freezeWindows.create(samples['createFreezeWindow'])).id,
    break_glass_id: (await breakGlass.open(samples['openBreakGlass'])).id,
    scheduled_change_id: (await scheduledChanges.create(flagId, samples['createScheduledChange'])).id,
  };
}

import { booleanFlag, PASSWORD, type TestServer } from '../server.ts';

/** What there is to be hurt: ids for the paths and queries, and a sound body for each operation. */
export interface Targets {
  readonly ids: Readonly<Record<string, string | undefined>>;
  /** By operation. */
  readonly samples: Readonly<Record<string, object>>;
  /** Opens the data plane. */
  readonly apiKey: string;
}

/** Makes one of everything. */
export async function createTargets(server: TestServer): Promise<Targets> {
  const token = server.tokens.admin;
  const environment_id = server.environments.staging;
  const create = async (url: string, body: object) =>
    (await server.call({ method: 'POST', url, token, body })).body.data.id as string;
  const ids: Record<string, string | undefined> = {
    organization_id: server.organizationId,
    project_id: server.projectId,
    environment_id,
    flag_id: await create(
      `/flags?environment_id=${environment_id}`,
      booleanFlag('fuzzed', { tags: ['fuzzed'] }),
    ),
    segment_id: await create(`/projects/${server.projectId}/segments`, { key: 'fuzzed', conditions: [] }),
    key_id: await create(`/environments/${environment_id}/api-keys`, { name: 'fuzzed' }),
    import_id: await create(`/projects/${server.projectId}/imports`, {
      document: { apiVersion: 'flagsvc/v1', kind: 'Project' },
    }),
    key: 'fuzzed',
    tag: 'fuzzed',
    q: 'fuzz',
    source: environment_id,
    target: environment_id,
    revision: '1',
    other: '1',
    ...(await deliveryIds(server, create)),
    repository: SNAPSHOT.repository,
    branch: SNAPSHOT.branch,
    ...(await governanceIds(server, create, environment_id)),
  };
  await server.call({
    method: 'PUT',
    url: `/projects/${server.projectId}/code-references`,
    token,
    body: SNAPSHOT,
  });
  const condition = { attribute: 'a', operator: 'one_of', value: ['x'] };
  const rule = {
    priority: 1,
    name: 'r',
    conditions: [condition],
    percentage_rollout: [{ variation: 'on', percentage: 5 }],
  };
  const samples: Record<string, object> = {
    createFlag: booleanFlag('another', { tags: ['t'] }),
    updateFlag: { ...booleanFlag('fuzzed'), targeting_rules: [rule], prerequisites: [], tags: ['t'] },
    toggleFlag: { enabled: true },
    patchFlag: {
      instructions: [
        { op: 'add_rule', rule, before_rule_id: null },
        { op: 'set_default', variation: 'on' },
      ],
    },
    upsertFlag: { ...booleanFlag('fuzzed'), targeting_rules: [rule], enabled: true },
    changeFlags: {
      action: 'promote',
      environment_id,
      filter: { tag: 't', search: 'x' },
      expected_count: 0,
      params: { enabled: true, tags: ['x'], target_environment_id: environment_id, include: ['enabled'] },
    },
    promoteFlag: {
      source_environment_id: environment_id,
      target_environment_ids: [server.environments.development],
      include: ['enabled'],
      strategy: 'replace',
    },
    promoteEnvironment: { target_environment_id: server.environments.development, flag_keys: ['fuzzed'] },
    previewFlag: {
      instructions: [{ op: 'set_default', variation: 'on' }],
      contexts: [{ user_key: 'u', attributes: { a: 'x' } }],
    },
    testSegment: { context: { user_key: 'u', attributes: { a: 'x' } } },
    cloneEnvironment: { key: 'another', name: 'n', type: 'staging' },
    renameTag: { name: 'other' },
    createImport: {
      format: 'flagsvc',
      mode: 'merge',
      document: {
        apiVersion: 'flagsvc/v1',
        kind: 'Project',
        flags: [{ ...booleanFlag('fuzzed'), environments: {} }],
      },
    },
    applyImport: {},
    cloneFlag: { key: 'another', environment_ids: [environment_id] },
    putCodeReferences: { ...SNAPSHOT, revision: '2' },
    createSegment: { key: 'another', conditions: [condition] },
    updateSegment: { conditions: [condition] },
    createProject: {
      key: 'another',
      name: 'n',
      environments: [{ key: 'e', name: 'e', type: 'staging' }],
    },
    createEnvironment: { key: 'another', name: 'n', type: 'staging', color: '#000000' },
    register: { email: 'registered@example.com', password: 'long enough' },
    login: { email: 'admin@example.com', password: PASSWORD },
    createApiKey: { name: 'n', kind: 'client', expires_at: null, allowed_origins: [], allowed_ips: [] },
    ...governanceSamples(environment_id, ids['flag_id']!),
    ...deliverySamples(environment_id),
  };
  const key = await server.call({
    method: 'POST',
    url: `/environments/${environment_id}/api-keys`,
    token,
    body: { name: 'data plane' },
  });
  return { ids, samples, apiKey: key.body.data.key };
}

async function deliveryIds(
  server: TestServer,
  create: (url: string, body: object) => Promise<string>,
): Promise<Record<string, string>> {
  const url = 'https://hooks.example.com/flags';
  const webhook_id = await create('/webhooks', { url, events: ['segment.*'] });
  // One that is sent nothing, so that no test waits for a name to be looked up.
  return {
    webhook_id,
    message_id: 'msg_x',
    import_id: await create(`/projects/${server.projectId}/imports`, { document: DOCUMENT }),
  };
}

const SNAPSHOT = {
  repository: 'r',
  branch: 'b',
  revision: '1',
  url_template: 'https://{repository}/{path}#L{line}',
  references: [{ flag_key: 'fuzzed', path: 'a.ts', line: 1, column: 2, context_hash: 'h' }],
};

const DOCUMENT = {
  apiVersion: 'flagsvc/v1',
  kind: 'Project',
  flags: [
    {
      key: 'imported',
      name: 'Imported',
      flag_type: 'boolean',
      variations: [
        { key: 'on', name: 'On', value: true },
        { key: 'off', name: 'Off', value: false },
      ],
      default_variation: 'off',
    },
  ],
};

function deliverySamples(environment_id: string): Record<string, object> {
  const context = { user_key: 'u', attributes: { a: 'x' } };
  const at = '2026-11-20T10:00:00.000Z';
  return {
    createWebhook: {
      url: 'https://hooks.example.com/',
      events: ['flag.*'],
      headers: { 'X-A': 'b' },
      tags: ['t'],
    },
    updateWebhook: { events: ['flag.toggled'], environment_ids: [environment_id], payload: 'thin' },
    rotateWebhookSecret: { overlap_hours: 1 },
    replayWebhook: { from: at, to: at, status: 'exhausted' },
    createImport: { format: 'flagsvc', mode: 'merge', document: DOCUMENT },
    applyImport: { comment: 'c' },
    explainEvaluation: { environment_id, flags: ['fuzzed'], context },
    evaluate: { flags: ['fuzzed'], context },
    sendEvents: {
      batch_id: 'b',
      sent_at: at,
      sdk: { name: 'n', version: '1', instance_id: 'i' },
      events: [
        {
          type: 'summary',
          start: at,
          end: at,
          counters: [
            {
              flag_key: 'fuzzed',
              variation_key: 'on',
              reason: 'DEFAULT',
              rule_id: null,
              ruleset_version: 1,
              count: 1,
            },
          ],
        },
      ],
    },
  };
}

/** What the routes about people and freezes speak of. The freeze is far away, or nothing else could be tried. */
async function governanceIds(
  server: TestServer,
  create: (url: string, body: object) => Promise<string>,
  environment_id: string,
): Promise<Record<string, string>> {
  const { call, organizationId, tokens } = server;
  const members = await call({ url: `/organizations/${organizationId}/members`, token: tokens.admin });
  const log = await call({ url: '/audit-log', token: tokens.admin });
  const flags = await call({ url: `/flags?environment_id=${environment_id}`, token: tokens.admin });
  const flag_id: string = flags.body.data[0].id;
  const samples = governanceSamples(environment_id, flag_id);
  const service_account_id = await create('/service-accounts', { name: 'fuzzed', role: 'editor' });
  return {
    user_id: members.body.data[2].id,
    audit_entry_id: log.body.data[0].id,
    session_id: 'ses_x',
    token_id: await create('/auth/tokens', { name: 'fuzzed', scopes: ['read'] }),
    service_account_id,
    service_token_id: await create(`/service-accounts/${service_account_id}/tokens`, {
      name: 'fuzzed',
      scopes: ['read'],
    }),
    invitation_id: await create(`/organizations/${organizationId}/invitations`, {
      email: 'guest@example.com',
      role: 'viewer',
    }),
    freeze_window_id: await create('/freeze-windows', samples['createFreezeWindow']!),
    break_glass_id: await create('/break-glass', samples['openBreakGlass']!),
    scheduled_change_id: await create(
      `/flags/${flag_id}/scheduled-changes`,
      samples['createScheduledChange']!,
    ),
  };
}

function governanceSamples(environment_id: string, flag_id: string): Record<string, object> {
  return {
    createFreezeWindow: {
      name: 'fuzzed',
      starts_at: '2030-01-01T00:00:00Z',
      ends_at: '2031-01-01T00:00:00Z',
      scope: { environment_ids: [environment_id], tags: ['t'], environment_types: ['staging'] },
      recurrence: { rule: 'FREQ=DAILY;COUNT=3', timezone: 'Europe/Berlin', duration_minutes: 5, until: null },
      blocked_actions: ['*'],
      allow: ['disable'],
    },
    updateFreezeWindow: { starts_at: '2030-01-02T00:00:00Z', comment: 'c' },
    endFreezeWindow: { comment: 'c' },
    openBreakGlass: {
      scope: { environment_ids: [environment_id], flag_ids: [flag_id] },
      justification: 'a reason that is long enough',
      duration_minutes: 5,
    },
    reviewBreakGlass: { outcome: 'justified', note: 'n' },
    createScheduledChange: {
      environment_id,
      execute_at: '2027-01-01T00:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
      base_revision: 1,
    },
    updateScheduledChange: { execute_at: '2027-01-02T00:00:00Z', comment: 'c' },
    createServiceAccount: { name: 'n', role: 'editor', environment_ids: [environment_id], project_roles: [] },
    updateServiceAccount: { description: 'd', disabled: false },
    createServiceAccountToken: { name: 'n', scopes: ['read'], expires_at: '2027-01-01T00:00:00Z' },
    createPersonalToken: { name: 'n', scopes: ['read'], expires_at: '2027-01-01T00:00:00Z' },
    createInvitation: { email: 'fuzz@example.com', role: 'viewer', project_roles: [] },
    updateOrganization: {
      name: 'n',
      settings: { allowed_email_domains: [], session_max_hours: null, require_mfa: false },
    },
    updateMember: { role: 'viewer', environment_ids: [environment_id] },
    setProjectRole: { role: 'editor' },
    rotateApiKey: { grace_minutes: 1 },
    forgotPassword: { email: 'nobody@example.com' },
    changePassword: { current_password: 'wrong', new_password: 'long enough' },
    reauthenticate: { password: PASSWORD },
    verifyMfa: { mfa_token: 'mfa_x', code: '000000' },
    confirmTotp: { code: '000000' },
    resetPassword: { token: 'rst_x', password: 'long enough' },
    acceptInvitation: { token: 'invt_x', password: 'long enough', full_name: 'n' },
  };
}

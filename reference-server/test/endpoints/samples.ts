import { booleanFlag, PASSWORD } from '../server.ts';

export const SNAPSHOT = {
  repository: 'r',
  branch: 'b',
  revision: '1',
  url_template: 'https://{repository}/{path}#L{line}',
  references: [{ flag_key: 'fuzzed', path: 'a.ts', line: 1, column: 2, context_hash: 'h' }],
};

export const DOCUMENT = { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [booleanFlag('imported')] };

interface Ids {
  readonly stagingId: string;
  readonly developmentId: string;
  readonly flagId: string;
}

/** A valid body for every operation that takes one, with most of its fields. */
export function samplesFor(ids: Ids): Record<string, object> {
  return {
    ...flagSamples(ids),
    ...projectSamples(ids),
    ...peopleSamples(ids),
    ...governanceSamples(ids),
    ...deliverySamples(ids),
  };
}

const CONDITION = { attribute: 'a', operator: 'one_of', value: ['x'] };
const RULE = {
  priority: 1,
  name: 'r',
  conditions: [CONDITION],
  percentage_rollout: [{ variation: 'on', percentage: 5 }],
};
const CONTEXT = { user_key: 'u', attributes: { a: 'x' } };
const AT = '2026-11-20T10:00:00.000Z';

const flagSamples = ({ stagingId, developmentId }: Ids): Record<string, object> => ({
  createFlag: booleanFlag('another', { tags: ['t'] }),
  updateFlag: { ...booleanFlag('fuzzed'), targeting_rules: [RULE], prerequisites: [], tags: ['t'] },
  toggleFlag: { enabled: true },
  patchFlag: {
    instructions: [
      { op: 'add_rule', rule: RULE, before_rule_id: null },
      { op: 'set_default', variation: 'on' },
    ],
  },
  upsertFlag: { ...booleanFlag('fuzzed'), targeting_rules: [RULE], enabled: true },
  changeFlags: {
    action: 'promote',
    environment_id: stagingId,
    filter: { tag: 't', search: 'x' },
    expected_count: 0,
    params: { enabled: true, tags: ['x'], target_environment_id: stagingId, include: ['enabled'] },
  },
  cloneFlag: { key: 'another', environment_ids: [stagingId] },
  promoteFlag: {
    source_environment_id: stagingId,
    target_environment_ids: [developmentId],
    include: ['enabled'],
    strategy: 'replace',
  },
  previewFlag: { instructions: [{ op: 'set_default', variation: 'on' }], contexts: [CONTEXT] },
  explainEvaluation: { environment_id: stagingId, flags: ['fuzzed'], context: CONTEXT },
  evaluate: { flags: ['fuzzed'], context: CONTEXT },
  describeRelayKeys: { keys: ['sdk-dev-0123456789ABCDEFGHIJKLMNOPQRSTUV000000'] },
  sendEvents: {
    batch_id: 'b',
    sent_at: AT,
    sdk: { name: 'n', version: '1', instance_id: 'i' },
    events: [
      {
        type: 'summary',
        start: AT,
        end: AT,
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
});

const projectSamples = ({ stagingId, developmentId }: Ids): Record<string, object> => ({
  createProject: { key: 'another', name: 'n', environments: [{ key: 'e', name: 'e', type: 'staging' }] },
  updateProject: { name: 'n' },
  createEnvironment: { key: 'another', name: 'n', type: 'staging', color: '#000000' },
  updateEnvironment: { name: 'n' },
  orderEnvironments: { environment_ids: [stagingId, developmentId] },
  archiveEnvironment: { comment: 'c' },
  restoreEnvironment: { comment: 'c' },
  cloneEnvironment: { key: 'another', name: 'n', type: 'staging' },
  promoteEnvironment: { target_environment_id: developmentId, flag_keys: ['fuzzed'] },
  createSegment: { key: 'another', conditions: [CONDITION] },
  updateSegment: { conditions: [CONDITION] },
  testSegment: { context: CONTEXT },
  renameTag: { name: 'other' },
  putCodeReferences: { ...SNAPSHOT, revision: '2' },
  createImport: { format: 'flagsvc', mode: 'merge', document: DOCUMENT },
  applyImport: { comment: 'c' },
  createApiKey: {
    name: 'n',
    kind: 'client',
    expires_at: null,
    allowed_origins: [],
    allowed_ips: [],
    rate_limits: {},
  },
  updateApiKey: { name: 'n' },
  rotateApiKey: { grace_minutes: 1 },
});

const peopleSamples = ({ stagingId }: Ids): Record<string, object> => ({
  putPreferences: { 'flags.views': [{ name: 'Stale', query: 'status=stale' }] },
  register: { email: 'registered@example.com', password: 'long enough' },
  login: { email: 'admin@example.com', password: PASSWORD },
  forgotPassword: { email: 'nobody@example.com' },
  resetPassword: { token: 'rst_x', password: 'long enough' },
  updateMe: { full_name: 'n' },
  changePassword: { current_password: 'wrong', new_password: 'long enough' },
  reauthenticate: { password: PASSWORD },
  verifyMfa: { mfa_token: 'mfa_x', code: '000000' },
  confirmTotp: { code: '000000' },
  refresh: { refresh_token: 'rt_x' },
  inspectInvitation: { token: 'invt_x' },
  acceptInvitation: { token: 'invt_x', password: 'long enough', full_name: 'n' },
  createPersonalToken: { name: 'n', scopes: ['read'], expires_at: '2027-01-01T00:00:00Z' },
  createServiceAccount: { name: 'n', role: 'editor', environment_ids: [stagingId], project_roles: [] },
  updateServiceAccount: { description: 'd', disabled: false },
  rotateServiceAccountToken: { grace_minutes: 1 },
  createServiceAccountToken: { name: 'n', scopes: ['read'], expires_at: '2027-01-01T00:00:00Z' },
  createInvitation: { email: 'fuzz@example.com', role: 'viewer', project_roles: [] },
  updateOrganization: {
    name: 'n',
    settings: { allowed_email_domains: [], session_max_hours: null, require_mfa: false },
  },
  updateMember: { role: 'viewer', environment_ids: [stagingId], project_roles: [] },
  setProjectRole: { role: 'editor' },
});

const governanceSamples = ({ stagingId, flagId }: Ids): Record<string, object> => ({
  createFreezeWindow: {
    name: 'fuzzed',
    starts_at: '2030-01-01T00:00:00Z',
    ends_at: '2031-01-01T00:00:00Z',
    scope: { environment_ids: [stagingId], tags: ['t'], environment_types: ['staging'] },
    recurrence: { rule: 'FREQ=DAILY;COUNT=3', timezone: 'Europe/Berlin', duration_minutes: 5, until: null },
    blocked_actions: ['*'],
    allow: ['disable'],
  },
  updateFreezeWindow: { starts_at: '2030-01-02T00:00:00Z', comment: 'c' },
  endFreezeWindow: { comment: 'c' },
  openBreakGlass: {
    scope: { environment_ids: [stagingId], flag_ids: [flagId] },
    justification: 'a reason that is long enough',
    duration_minutes: 5,
  },
  reviewBreakGlass: { outcome: 'justified', note: 'n' },
  createScheduledChange: {
    environment_id: stagingId,
    execute_at: '2027-01-01T00:00:00Z',
    changes: [{ op: 'set_enabled', enabled: true }],
    base_revision: 1,
  },
  updateScheduledChange: { execute_at: '2027-01-02T00:00:00Z', comment: 'c' },
});

const deliverySamples = ({ stagingId }: Ids): Record<string, object> => ({
  createErasure: { user_key: 'user-4711' },
  sendTestMail: { email: 'someone@example.com' },
  createWebhook: {
    url: 'https://hooks.example.com/',
    events: ['flag.*'],
    headers: { 'X-A': 'b' },
    tags: ['t'],
  },
  updateWebhook: { events: ['flag.toggled'], environment_ids: [stagingId], payload: 'thin' },
  rotateWebhookSecret: { overlap_hours: 1 },
  replayWebhook: { from: AT, to: AT, status: 'exhausted' },
});

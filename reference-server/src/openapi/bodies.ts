/** Example bodies made by hand, by operation, where an example from the schema would not be what people send. */

const ULID = '01KAGJ7Q8V3W5X6Y7Z8A9B0C1D';
const PRODUCTION = `env_${ULID}`;
const STAGING = 'env_01KAGJ7Q8V3W5X6Y7Z8A9B0C1E';
const NEXT_YEAR = new Date().getFullYear() + 1;

const CONDITION = { attribute: 'country', operator: 'one_of', value: ['CH', 'AT'] };
const CONTEXT = { user_key: 'ada', attributes: { country: 'CH', plan: 'pro' } };
const SHARES = [
  { variation: 'on', percentage: 25 },
  { variation: 'off', percentage: 75 },
];
const ON_OFF = [
  { key: 'on', name: 'On', value: true },
  { key: 'off', name: 'Off', value: false },
];
const NEW_FLAG = {
  key: 'new-checkout',
  name: 'New checkout',
  description: 'The checkout in one page.',
  flag_type: 'boolean',
  variations: ON_OFF,
  default_variation: 'off',
  tags: ['checkout'],
};
const TARGETING_RULES = [
  { priority: 1, name: 'Alps', conditions: [CONDITION], variation: 'on' },
  { priority: 2, name: 'A quarter of everyone else', conditions: [], percentage_rollout: SHARES },
];
const IN_NEW_YEAR = `${NEXT_YEAR}-01-10T06:00:00.000Z`;

const flagBodies = {
  createFlag: NEW_FLAG,
  updateFlag: { name: 'New checkout', targeting_rules: TARGETING_RULES, default_variation: 'off' },
  upsertFlag: { ...NEW_FLAG, key: undefined, enabled: true, targeting_rules: TARGETING_RULES },
  patchFlag: {
    instructions: [
      { op: 'add_rule', rule: { name: 'Alps', conditions: [CONDITION], variation: 'on' } },
      { op: 'set_enabled', enabled: true },
    ],
    comment: 'Launch in the Alps.',
  },
  toggleFlag: { enabled: true, comment: 'Launch of the new checkout.' },
  cloneFlag: { key: 'new-checkout-mobile', name: 'New checkout on phones' },
  changeFlags: {
    action: 'toggle',
    environment_id: PRODUCTION,
    filter: { tag: 'checkout' },
    expected_count: 1,
    params: { enabled: false },
    comment: 'The checkout is down.',
  },
  promoteFlag: {
    source_environment_id: STAGING,
    target_environment_ids: [PRODUCTION],
    include: ['targeting_rules', 'default_variation'],
  },
  previewFlag: { instructions: [{ op: 'set_default', variation: 'on' }], contexts: [CONTEXT] },
  createScheduledChange: {
    environment_id: PRODUCTION,
    execute_at: IN_NEW_YEAR,
    timezone: 'Europe/Zurich',
    changes: [{ op: 'set_enabled', enabled: true }],
    comment: 'Launch in the new year.',
  },
  updateScheduledChange: { execute_at: IN_NEW_YEAR, comment: 'A week later.' },
  unmarkFlagStale: { snooze_until: IN_NEW_YEAR, comment: 'The campaign goes on.' },
  markFlagStale: { comment: 'The campaign is over.' },
  createSegment: {
    key: 'beta-testers',
    name: 'Beta testers',
    conditions: [{ attribute: 'group', operator: 'is', value: 'beta' }],
    included: ['ada'],
  },
  updateSegment: { conditions: [{ attribute: 'group', operator: 'one_of', value: ['beta', 'staff'] }] },
  activateFlag: { comment: 'Ready to be evaluated.' },
  restoreFlag: { comment: 'The campaign starts again.' },
  restoreFlagRevision: { comment: 'The new rule was wrong.' },
  restoreSegmentRevision: { comment: 'The new condition was wrong.' },
  executeScheduledChange: { comment: 'It need not wait.' },
  applyImport: { comment: 'Flags of the shop, from its repository.' },
  testSegment: { context: { user_key: 'ada', attributes: { group: 'beta' } } },
};

const SECOND = (second: number) => `2026-11-20T10:00:${String(second).padStart(2, '0')}.000Z`;

const dataBodies = {
  sendEvents: {
    batch_id: 'b5f2c1d4-8d39-4c1e-9a52-2f8a3c0d7e11',
    sent_at: SECOND(31),
    sdk: { name: 'shop-backend', version: '1.0.0', instance_id: 'shop-7d4b9c' },
    events: [
      {
        type: 'summary',
        start: SECOND(0),
        end: SECOND(30),
        counters: [
          {
            flag_key: 'new-checkout',
            variation_key: 'on',
            reason: 'TARGETING_RULE',
            rule_id: `rule_${ULID}`,
            ruleset_version: 481,
            count: 120,
          },
        ],
      },
    ],
  },
  evaluate: { flags: ['new-checkout', 'dark-mode'], context: CONTEXT },
  explainEvaluation: { environment_id: PRODUCTION, flags: ['new-checkout'], context: CONTEXT },
};

const PASSWORD = 'correct horse battery';

const peopleBodies = {
  login: { email: 'ada@example.com', password: PASSWORD },
  reauthenticate: { password: PASSWORD },
  refresh: { refresh_token: 'rt_Zq3v0n2B1kX8yT5uW7sLrA' },
  changePassword: { current_password: PASSWORD, new_password: 'staple battery horse' },
  resetPassword: { token: 'prt_Zq3v0n2B1kX8yT5uW7sLrA', password: PASSWORD },
  inspectInvitation: { token: 'invt_Zq3v0n2B1kX8yT5uW7sLrA' },
  acceptInvitation: { token: 'invt_Zq3v0n2B1kX8yT5uW7sLrA', password: PASSWORD, full_name: 'Grace Hopper' },
  confirmTotp: { code: '492039' },
  verifyMfa: { mfa_token: 'mfa_Zq3v0n2B1kX8yT5uW7sLrA', code: '492039' },
  updateMember: { role: 'editor', comment: 'Joins the team of the shop.' },
  updateServiceAccount: { description: 'Turns flags on after a deployment.', disabled: false },
  updateOrganization: { settings: { allowed_email_domains: ['example.com'], session_max_hours: 72 } },
  updateApiKey: { name: 'checkout service', rate_limits: { evaluation: 5_000 } },
  register: { email: 'ada@example.com', password: PASSWORD, full_name: 'Ada Lovelace' },
  createInvitation: { email: 'grace@example.com', role: 'editor' },
  createServiceAccount: {
    name: 'deploys',
    role: 'editor',
    description: 'Turns flags on after a deployment.',
  },
  createServiceAccountToken: { name: 'pipeline', scopes: ['flags:write'], expires_at: IN_NEW_YEAR },
  createPersonalToken: { name: 'laptop', scopes: ['read'], expires_at: IN_NEW_YEAR },
  rotateApiKey: { grace_minutes: 1_440, comment: 'Yearly rotation.' },
  rotateServiceAccountToken: { grace_minutes: 60, comment: 'Yearly rotation.' },
  resetMemberMfa: { comment: 'Lost her phone; identified by a call.' },
  putPreferences: { 'flags.views': [{ name: 'Stale', query: 'status=stale' }] },
  createApiKey: { name: 'checkout service', kind: 'server' },
};

const operationBodies = {
  createProject: { key: 'shop', name: 'Web shop' },
  updateProject: { name: 'Web shop', settings: { require_description: true } },
  updateEnvironment: { confirm_changes: true, require_comment: true },
  promoteEnvironment: { target_environment_id: PRODUCTION, flag_keys: ['new-checkout'] },
  putCodeReferences: {
    repository: 'github.com/example/shop',
    branch: 'main',
    revision: '9fceb02d0ae598e95dc970b74767f19372d61af8',
    url_template: 'https://{repository}/blob/{revision}/{path}#L{line}',
    references: [{ flag_key: 'new-checkout', path: 'src/checkout.ts', line: 12 }],
  },
  createImport: {
    format: 'flagsvc',
    mode: 'merge',
    document: { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [NEW_FLAG] },
  },
  setProjectRole: { role: 'editor', comment: 'Joins the team of the shop.' },
  renameTag: { name: 'payments', comment: 'The team has a new name.' },
  cloneEnvironment: { key: 'load-test', name: 'Load test', type: 'staging' },
  orderEnvironments: { environment_ids: [STAGING, PRODUCTION] },
  archiveEnvironment: { comment: 'Nobody uses it any more.' },
  restoreEnvironment: { comment: 'It is needed again.' },
  createEnvironment: { key: 'quality', name: 'Quality', type: 'staging' },
  createFreezeWindow: {
    name: 'Black Friday',
    reason: 'No changes while the shop is busiest.',
    starts_at: `${NEXT_YEAR}-11-27T00:00:00.000Z`,
    ends_at: `${NEXT_YEAR}-11-30T00:00:00.000Z`,
    scope: { environment_ids: [PRODUCTION] },
    allow: ['disable'],
  },
  updateFreezeWindow: { reason: 'The sale lasts a day longer.', comment: 'Extended.' },
  openBreakGlass: {
    scope: { environment_ids: [PRODUCTION] },
    justification: 'INC-4711: the payment provider is down; the old checkout has to serve.',
    duration_minutes: 30,
  },
  reviewBreakGlass: { outcome: 'justified', note: 'The payment provider was down for an hour.' },
  updateWebhook: { events: ['flag.toggled'], payload: 'thin', comment: 'Only switches matter to the chat.' },
  rotateWebhookSecret: { overlap_hours: 24, comment: 'The receiver moves.' },
  replayWebhook: { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T12:00:00.000Z', status: 'exhausted' },
  endFreezeWindow: { comment: 'The sale is over.' },
  createWebhook: {
    url: 'https://hooks.example.com/flags',
    events: ['flag.*'],
    environment_ids: [PRODUCTION],
    description: 'Posts changes of production to the chat.',
  },
};

/** The bodies by operation. */
export const BODIES: Readonly<Record<string, object>> = {
  ...flagBodies,
  ...dataBodies,
  ...peopleBodies,
  ...operationBodies,
};

/** Everything that is written into the audit log, by noun. Nothing is written that is not here ("Events", 1 and 5). */
export const AUDIT_ACTIONS = {
  flag: [
    'created',
    'updated',
    'toggled',
    'archived',
    'restored',
    'deleted',
    'cloned',
    'promoted',
    'activated',
    'marked_stale',
    'reactivated',
    'revision_restored',
    'archiving_announced',
  ],
  code_reference: ['updated', 'removed'],
  segment: ['created', 'updated', 'deleted'],
  project: ['created', 'updated', 'archived', 'restored', 'deleted'],
  reserved_key: ['released'],
  environment: ['created', 'updated', 'cloned', 'deleted'],
  api_key: ['created', 'updated', 'rotated', 'expiring', 'revoked'],
  scheduled_change: ['created', 'updated', 'cancelled', 'executed', 'blocked', 'failed', 'conflicted'],
  freeze_window: ['created', 'updated', 'upcoming', 'ended', 'cancelled'],
  break_glass: ['opened', 'used', 'closed', 'overdue', 'reviewed'],
  import: ['planned', 'applied', 'failed'],
  export: ['created'],
  webhook: [
    'created',
    'updated',
    'deleted',
    'enabled',
    'disabled',
    'secret_rotated',
    'replayed',
    'redelivered',
  ],
  organization: ['created', 'updated'],
  retention: ['pruned'],
  member: [
    'invited',
    'invitation_resent',
    'invitation_revoked',
    'joined',
    'updated',
    'role_changed',
    'project_role_changed',
    'removed',
    'mfa_reset',
  ],
  personal_token: ['created', 'revoked'],
  service_account: ['created', 'updated', 'deleted', 'token_created', 'token_revoked'],
  auth: [
    'login',
    'login_failed',
    'logout',
    'refresh_refused',
    'refused',
    'reauthenticated',
    'password_changed',
    'password_reset',
    'password_reset_requested',
    'session_revoked',
    'sessions_revoked',
    'mfa_started',
    'mfa_enabled',
    'mfa_disabled',
    'recovery_codes_renewed',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Noun = keyof typeof AUDIT_ACTIONS;

/** What an audit entry says was done: `flag.toggled`. */
export type AuditAction = { [N in Noun]: `${N}.${(typeof AUDIT_ACTIONS)[N][number]}` }[Noun];

/** What a change is called that can alter a compiled ruleset, by whatever way it comes: what a freeze may name. */
export const RULESET_ACTIONS: readonly string[] = (
  ['flag', 'segment', 'project', 'environment'] as const
).flatMap((noun) => AUDIT_ACTIONS[noun].map((action) => `${noun}.${action}`));

/** Who comes in, and with what, is the audit log's alone, and so is what people take along and pipelines say of code. */
const UNTOLD: ReadonlySet<string> = new Set<Noun>([
  'organization',
  'member',
  'personal_token',
  'service_account',
  'auth',
  'code_reference',
  'export',
  'retention',
]);

/** Told beside a change that gives an environment a new ruleset; `*` does not ask for it. */
export const RULESET_UPDATED = 'ruleset.updated';

/** Told beside `flag.marked_stale`, whoever marked the flag: the nightly job, or a person (decisions/0026). */
export const FLAG_STALE = 'flag.stale';

/** Sent when somebody tries a webhook, whatever it asks for. */
export const PING = 'ping';

/** Every type of message that a webhook may ask for ("Events", 2); the document describes them from here. */
export const WEBHOOK_TYPES: readonly string[] = [
  ...Object.entries(AUDIT_ACTIONS).flatMap(([noun, actions]) =>
    UNTOLD.has(noun) ? [] : actions.map((action) => `${noun}.${action}`),
  ),
  FLAG_STALE,
  RULESET_UPDATED,
];

/** Every action of the audit log, by noun ("Events", 1 and 5). */
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
  environment: ['created', 'updated', 'cloned', 'reordered', 'archived', 'restored', 'deleted'],
  api_key: ['created', 'updated', 'rotated', 'expiring', 'revoked'],
  scheduled_change: ['created', 'updated', 'cancelled', 'executed', 'blocked', 'failed', 'conflicted'],
  freeze_window: ['created', 'updated', 'upcoming', 'ended', 'cancelled'],
  break_glass: ['opened', 'used', 'closed', 'overdue', 'reviewed'],
  import: ['planned', 'applied', 'failed'],
  export: ['created'],
  erasure: ['ordered', 'completed'],
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
  mail: ['tested'],
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
  service_account: ['created', 'updated', 'deleted', 'token_created', 'token_rotated', 'token_revoked'],
  auth: [
    'login',
    'login_failed',
    'logout',
    'refresh_refused',
    'refused',
    'reauthenticated',
    'profile_changed',
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

/** The action of an audit entry: `flag.toggled`. */
export type AuditAction = { [N in Noun]: `${N}.${(typeof AUDIT_ACTIONS)[N][number]}` }[Noun];

/** The actions that can change a compiled ruleset. A freeze window may name them. */
export const RULESET_ACTIONS: readonly string[] = (
  ['flag', 'segment', 'project', 'environment'] as const
).flatMap((noun) => AUDIT_ACTIONS[noun].map((action) => `${noun}.${action}`));

/**
 * Nouns that no webhook message is sent for: organizations, people and their credentials, exports, erasures, code
 * references, retention, email.
 */
const WITHOUT_MESSAGES: ReadonlySet<string> = new Set<Noun>([
  'organization',
  'member',
  'personal_token',
  'service_account',
  'auth',
  'code_reference',
  'export',
  'erasure',
  'retention',
  'mail',
]);

/** Sent for each environment whose ruleset version rises. The pattern `*` does not include it. */
export const RULESET_UPDATED = 'ruleset.updated';

/** Sent in addition to `flag.marked_stale`, which the nightly job and people cause. */
export const FLAG_STALE = 'flag.stale';

/** Sent by a webhook test, whatever the webhook subscribes to. */
export const PING = 'ping';

/** Every message type that a webhook may subscribe to ("Events", 2). The OpenAPI document lists them from here. */
export const WEBHOOK_TYPES: readonly string[] = [
  ...Object.entries(AUDIT_ACTIONS).flatMap(([noun, actions]) =>
    WITHOUT_MESSAGES.has(noun) ? [] : actions.map((action) => `${noun}.${action}`),
  ),
  FLAG_STALE,
  RULESET_UPDATED,
];

/** Codes that no operation of the API has; `src/dashboard` provokes them. */
export const OF_THE_DASHBOARD: readonly string[] = ['CROSS_SITE_REQUEST', 'HOST_NOT_ALLOWED'];

/** Documented error codes that `test/errors` does not provoke on certain operations, with the reason. */
export const NOT_PROVOKED: readonly {
  readonly codes: readonly string[];
  /** Operation ids. */
  readonly of: 'any' | 'reads' | readonly string[];
  readonly why: string;
}[] = [
  {
    codes: ['SERVICE_UNAVAILABLE'],
    of: 'any',
    why: 'Caused by the disk or by overload, before the request reaches a route: test/faults and http/shed-load.test.ts.',
  },
  {
    codes: ['REQUEST_TIMEOUT'],
    of: 'any',
    why: 'All routes share the code that reads bodies: http/read-body.test.ts.',
  },
  {
    codes: [
      'COMMENT_REQUIRED',
      'AGENT_NOT_ALLOWED',
      'FREEZE_WINDOW_ACTIVE',
      'BREAK_GLASS_EXPIRED',
      'BREAK_GLASS_OUT_OF_SCOPE',
      'JUSTIFICATION_REQUIRED',
      'REAUTHENTICATION_REQUIRED',
      'ORGANIZATION_SUSPENDED',
    ],
    of: 'any',
    why: 'Raised by guards, which all writes share. test/errors provokes them on operations that change the common target and a ruleset; freeze-ways.test.ts covers every write.',
  },
  {
    codes: ['PRECONDITION_FAILED'],
    of: 'any',
    why: 'Creations and resources without a revision ignore If-Match: conventions.test.ts lists them and tests all others.',
  },
  {
    codes: ['INSUFFICIENT_PERMISSIONS'],
    of: 'reads',
    why: 'Every role and every scope of a token may read.',
  },
  {
    codes: ['INSUFFICIENT_PERMISSIONS'],
    of: ['previewFlag', 'testSegment', 'explainEvaluation'],
    why: 'These operations only read.',
  },
  {
    codes: [
      'VARIATION_COUNT_INVALID',
      'VARIATION_VALUE_TYPE_MISMATCH',
      'VARIATION_KEY_DUPLICATE',
      'VARIATION_IN_USE',
      'DEFAULT_VARIATION_UNKNOWN',
      'RULE_TARGET_INVALID',
      'RULE_VARIATION_UNKNOWN',
      'RULE_ROLLOUT_EXCEEDS_100',
      'CONDITION_VALUE_INVALID',
      'REGEX_INVALID',
      'SEGMENT_UNKNOWN',
      'PREREQUISITE_UNKNOWN',
      'PREREQUISITE_CYCLE',
      'PREREQUISITE_DEPTH',
    ],
    of: [
      'executeScheduledChange',
      'promoteFlag',
      'promoteEnvironment',
      'changeFlags',
      'restoreFlagRevision',
      'restoreSegmentRevision',
    ],
    why: 'They write content that was valid when it was first stored, so the shared check fails only if something it refers to has changed since.',
  },
  {
    codes: ['SEGMENT_NESTING'],
    of: ['restoreSegmentRevision'],
    why: 'No stored revision of a segment refers to a segment.',
  },
  {
    codes: ['REGEX_INVALID'],
    of: ['cloneFlag'],
    why: 'Only older versions of the server could store patterns with too many states: pattern-states.test.ts.',
  },
  {
    codes: ['PREREQUISITE_UNKNOWN', 'PREREQUISITE_CYCLE', 'PREREQUISITE_DEPTH'],
    of: ['restoreFlag'],
    why: 'Other flags must change while the flag is archived: prerequisites.test.ts.',
  },
  {
    codes: ['FLAG_ARCHIVED', 'FLAG_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'INSTRUCTION_INVALID'],
    of: ['executeScheduledChange'],
    why: 'The flag, the environment or the target of an instruction must be removed after the change was scheduled.',
  },
  {
    codes: ['FLAG_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    of: ['updateScheduledChange'],
    why: 'The flag or the environment must be removed after the change was scheduled.',
  },
  {
    codes: ['FLAG_ARCHIVED'],
    of: ['promoteEnvironment', 'changeFlags'],
    why: 'Appears in the results of single flags. As the error of the answer, it requires that a flag is archived between two reads.',
  },
  {
    codes: ['FLAG_NOT_FOUND', 'IMPORT_INVALID'],
    of: ['applyImport'],
    why: 'The plan was valid when it was made. A later change causes PLAN_STALE, unless the change is concurrent.',
  },
  {
    codes: ['PROJECT_NOT_FOUND'],
    of: ['updateMember'],
    why: 'The project is named in a list of the body: members.test.ts.',
  },
  {
    codes: ['PROJECT_NOT_FOUND'],
    of: ['cloneEnvironment'],
    why: 'The project must be removed between two reads.',
  },
  {
    codes: ['INTERNAL_ERROR'],
    of: ['refresh', 'verifyMfa', 'forgotPassword'],
    why: 'The request is refused or deferred before it uses the database.',
  },
  {
    codes: ['INTERNAL_ERROR'],
    of: ['getInstance'],
    why: 'It reads the database only until the first user registers.',
  },
  {
    codes: ['LIMIT_EXCEEDED'],
    of: ['forgotPassword', 'sendTestMail'],
    why: 'No well-formed email address is long enough to exceed the limit.',
  },
  {
    codes: ['REGISTRATION_CLOSED', 'LAST_ADMIN', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    of: 'any',
    why: 'These need installations with other settings: people.ts, auth.test.ts and members.test.ts.',
  },
  {
    codes: ['PASSWORD_TOO_COMMON'],
    of: 'any',
    why: 'Requires a configured list of common passwords: passwords.test.ts.',
  },
  {
    codes: ['INVALID_MFA_CODE', 'MFA_REQUIRED', 'MFA_ALREADY_ON', 'MFA_NOT_ON'],
    of: 'any',
    why: 'These depend on the state of a second factor: mfa.test.ts and required-mfa.test.ts.',
  },
  {
    codes: ['RESOURCE_IN_USE'],
    of: ['updateEnvironment', 'archiveEnvironment', 'deleteEnvironment'],
    why: 'Tested in environments.test.ts and archived-environments.test.ts.',
  },
  {
    codes: ['FLAG_KEY_CONFLICT'],
    of: ['upsertFlag'],
    why: 'The key of the flag must be reserved: lifecycle.test.ts.',
  },
  {
    codes: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    of: ['redeliverWebhookMessage'],
    why: 'A message exists only after a delivery: webhooks.test.ts.',
  },
];

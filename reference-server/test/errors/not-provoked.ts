/** Codes that the document names for operations and that are not provoked there, with the reason. */
export const NOT_PROVOKED: readonly {
  readonly codes: readonly string[];
  /** Operation ids. */
  readonly of: 'any' | 'reads' | readonly string[];
  readonly why: string;
}[] = [
  {
    codes: ['SERVICE_UNAVAILABLE'],
    of: 'any',
    why: 'Of the disk and of overload, before any route: test/faults and http/shed-load.test.ts.',
  },
  {
    codes: ['REQUEST_TIMEOUT'],
    of: 'any',
    why: 'One reader waits for the bodies of all routes: http/read-body.test.ts.',
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
    why: 'Of the guards, which stand before every write alike. Provoked wherever the common target is in a state to be changed and reaches a ruleset; freeze-ways.test.ts brings each write into one.',
  },
  {
    codes: ['PRECONDITION_FAILED'],
    of: 'any',
    why: 'What is created or has no revision ignores If-Match: conventions.test.ts has the list, and asks all others.',
  },
  {
    codes: ['INSUFFICIENT_PERMISSIONS'],
    of: 'reads',
    why: 'Every role and every scope of a token may read.',
  },
  {
    codes: ['INSUFFICIENT_PERMISSIONS'],
    of: ['previewFlag', 'testSegment', 'explainEvaluation'],
    why: 'They read too.',
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
    of: ['executeScheduledChange', 'promoteFlag', 'promoteEnvironment', 'changeFlags', 'restoreFlagRevision'],
    why: 'They write what was sound when it was written, by the check that all share; it takes a change in between.',
  },
  {
    codes: ['REGEX_INVALID'],
    of: ['cloneFlag'],
    why: 'Only an older version has stored more states than a flag may have: pattern-states.test.ts.',
  },
  {
    codes: ['PREREQUISITE_UNKNOWN', 'PREREQUISITE_CYCLE', 'PREREQUISITE_DEPTH'],
    of: ['restoreFlag'],
    why: 'Others change while the flag is archived: prerequisites.test.ts.',
  },
  {
    codes: ['FLAG_ARCHIVED', 'FLAG_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND', 'INSTRUCTION_INVALID'],
    of: ['executeScheduledChange'],
    why: 'The flag, the environment or what an instruction speaks of goes after the change was planned.',
  },
  {
    codes: ['FLAG_NOT_FOUND', 'ENVIRONMENT_NOT_FOUND'],
    of: ['updateScheduledChange'],
    why: 'The flag or the environment goes after the change was planned.',
  },
  {
    codes: ['FLAG_ARCHIVED'],
    of: ['promoteEnvironment', 'changeFlags'],
    why: 'Told for single flags in the results, or between two reads.',
  },
  {
    codes: ['FLAG_NOT_FOUND', 'IMPORT_INVALID'],
    of: ['applyImport'],
    why: 'The plan was sound; PLAN_STALE comes first but for a change in the same moment.',
  },
  { codes: ['PROJECT_NOT_FOUND'], of: ['cloneEnvironment'], why: 'The project goes between two reads.' },
  { codes: ['INTERNAL_ERROR'], of: ['getInstance'], why: 'It reads nothing.' },
  {
    codes: ['INTERNAL_ERROR'],
    of: ['refresh', 'verifyMfa', 'forgotPassword'],
    why: 'What is sent is refused, or put off, before the database is asked.',
  },
  { codes: ['LIMIT_EXCEEDED'], of: ['forgotPassword'], why: 'No e-mail address is so long and well formed.' },
  {
    codes: ['REGISTRATION_CLOSED', 'LAST_ADMIN', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    of: 'any',
    why: 'On installations of their own: people.ts, auth.test.ts and members.test.ts.',
  },
  {
    codes: ['PASSWORD_TOO_COMMON'],
    of: 'any',
    why: 'Only where a list is asked for: passwords.test.ts.',
  },
  {
    codes: ['INVALID_MFA_CODE', 'MFA_REQUIRED', 'MFA_ALREADY_ON', 'MFA_NOT_ON'],
    of: 'any',
    why: 'The states of a second factor: mfa.test.ts and required-mfa.test.ts.',
  },
  {
    codes: ['RESOURCE_IN_USE'],
    of: ['updateEnvironment', 'deleteEnvironment'],
    why: 'environments.test.ts.',
  },
  { codes: ['FLAG_KEY_CONFLICT'], of: ['upsertFlag'], why: 'Of a reserved key: lifecycle.test.ts.' },
  {
    codes: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_DISABLED'],
    of: ['redeliverWebhookMessage'],
    why: 'A message takes deliveries: webhooks.test.ts.',
  },
];

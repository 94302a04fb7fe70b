/** What happened, and what to do. Codes that are missing here show the server's own message. */
export interface ProblemWords {
  readonly title: string;
  readonly remedy?: string;
}

const codes: Readonly<Record<string, ProblemWords>> = {
  UNREACHABLE: {
    title: 'The server cannot be reached',
    remedy: 'Your apps are not affected: each keeps the flags it has. Check the connection, then try again.',
  },
  UNREADABLE: {
    title: 'The answer cannot be read',
    remedy: 'Reload the page. If it happens again, tell your operator.',
  },
  INVALID_CREDENTIALS: { title: 'E-mail or password is wrong' },
  INVALID_MFA_CODE: {
    title: 'The code is wrong, too old, or already used',
    remedy: 'Wait for the next code.',
  },
  INVALID_MFA_TOKEN: { title: 'Signing in took too long', remedy: 'Start again with your password.' },
  INVALID_INVITATION: {
    title: 'This invitation no longer works',
    remedy: 'It was used, withdrawn, or has expired. Ask for a new one.',
  },
  INVALID_RESET_TOKEN: {
    title: 'This link no longer works',
    remedy: 'It was used or has expired. Ask for a new one.',
  },
  REGISTRATION_CLOSED: {
    title: 'Only invited people can join here',
    remedy: 'Ask an admin for an invitation.',
  },
  INSUFFICIENT_PERMISSIONS: {
    title: 'Your role does not allow this',
    remedy: 'An admin can change your role.',
  },
  FEATURE_NOT_AVAILABLE: { title: 'This installation does not have this feature' },
  REAUTHENTICATION_REQUIRED: { title: 'Confirm that it is you', remedy: 'Enter your password again.' },
  FREEZE_WINDOW_ACTIVE: {
    title: 'Not saved: this environment is frozen',
    remedy: 'Plan the change for the end of the freeze, or break glass.',
  },
  PRECONDITION_FAILED: {
    title: 'Not saved: somebody else saved in between',
    remedy: 'Compare both versions below.',
  },
  VALIDATION_ERROR: { title: 'Not saved: some fields need a look', remedy: 'Each says what it needs.' },
  RATE_LIMIT_EXCEEDED: { title: 'Too many requests', remedy: 'Wait a minute, then try again.' },
  SERVICE_UNAVAILABLE: { title: 'The server is busy', remedy: 'Try again in a moment.' },
  INTERNAL_ERROR: {
    title: 'Something went wrong on the server',
    remedy: 'Try again. The details help your operator.',
  },
  COMMENT_REQUIRED: { title: 'Say why', remedy: 'This environment asks for a comment with every change.' },
  ORGANIZATION_SUSPENDED: {
    title: 'The organization is suspended',
    remedy: 'Nothing can be changed; your apps still get their flags.',
  },
};

export const en = { codes };

/**
 * The one table of error codes ("Errors"): code, status, default message. A published code never changes its meaning,
 * and every error answer has a code of this table.
 */
export const ERROR_CODES = {
  VALIDATION_ERROR: [400, 'The request is not valid; see details.fields.'],
  MALFORMED_JSON: [400, 'The body is not valid JSON.'],
  IDEMPOTENCY_KEY_INVALID: [400, 'Idempotency-Key must be 1 to 255 printable ASCII characters.'],
  UNAUTHENTICATED: [401, 'Credentials are missing.'],
  INVALID_CREDENTIALS: [401, 'The e-mail or the password is wrong.'],
  INVALID_TOKEN: [401, 'The access token is not valid.'],
  TOKEN_EXPIRED: [401, 'The access token has expired.'],
  INVALID_REFRESH_TOKEN: [401, 'The refresh token is unknown, expired or revoked.'],
  INVALID_API_KEY: [401, 'The API key is unknown, expired or revoked.'],
  MFA_REQUIRED: [401, 'The password is right; a code of the second factor is required too.'],
  INVALID_MFA_TOKEN: [401, 'The mfa_token is unknown or older than 5 minutes; log in again.'],
  INVALID_MFA_CODE: [401, 'The code is wrong, too old, or already used.'],
  INVALID_RESET_TOKEN: [401, 'The reset token is unknown, expired or used.'],
  INVALID_INVITATION: [401, 'The invitation is unknown, expired, used or withdrawn.'],
  CROSS_SITE_REQUEST: [403, 'Only pages of the dashboard may send this request.'],
  INSUFFICIENT_PERMISSIONS: [403, 'Your role does not allow this.'],
  FEATURE_NOT_AVAILABLE: [403, 'This feature belongs to another deployment mode.'],
  ORGANIZATION_SUSPENDED: [
    403,
    'The organization is suspended: it cannot be changed, but its flags are still served.',
  ],
  REGISTRATION_CLOSED: [403, 'Registration is closed on this installation.'],
  MFA_ENROLLMENT_REQUIRED: [
    403,
    'The organization requires a second factor; set one up with POST /api/v1/auth/mfa/totp.',
  ],
  REAUTHENTICATION_REQUIRED: [
    403,
    'This needs a login or POST /auth/reauthenticate within the last 5 minutes.',
  ],
  ORIGIN_NOT_ALLOWED: [403, 'The API key may not be used from this origin.'],
  IP_NOT_ALLOWED: [403, 'The API key may not be used from this address.'],
  KEY_KIND_NOT_ALLOWED: [403, 'This endpoint accepts only API keys of another kind.'],
  AGENT_NOT_ALLOWED: [403, 'Agents cannot change critical environments; a person has to do it.'],
  BREAK_GLASS_EXPIRED: [403, 'The break-glass session is unknown, closed or expired.'],
  BREAK_GLASS_OUT_OF_SCOPE: [403, 'The break-glass session does not cover this change.'],
  NOT_FOUND: [404, 'There is nothing here.'],
  ORGANIZATION_NOT_FOUND: [404, 'The organization does not exist.'],
  PROJECT_NOT_FOUND: [404, 'The project does not exist.'],
  ENVIRONMENT_NOT_FOUND: [404, 'The environment does not exist.'],
  FLAG_NOT_FOUND: [404, 'The flag does not exist.'],
  SEGMENT_NOT_FOUND: [404, 'The segment does not exist.'],
  REVISION_NOT_FOUND: [404, 'The flag has no such revision in this environment.'],
  TAG_NOT_FOUND: [404, 'No flag or segment of the project has the tag.'],
  RESERVED_KEY_NOT_FOUND: [404, 'The key is not reserved.'],
  IMPORT_NOT_FOUND: [404, 'The import does not exist.'],
  API_KEY_NOT_FOUND: [404, 'The API key does not exist.'],
  SESSION_NOT_FOUND: [404, 'The session does not exist.'],
  PERSONAL_TOKEN_NOT_FOUND: [404, 'The personal token does not exist.'],
  SERVICE_ACCOUNT_NOT_FOUND: [404, 'The service account does not exist.'],
  SERVICE_ACCOUNT_TOKEN_NOT_FOUND: [404, 'The service account has no such token.'],
  MEMBER_NOT_FOUND: [404, 'The user is not a member.'],
  INVITATION_NOT_FOUND: [404, 'The invitation does not exist.'],
  WEBHOOK_NOT_FOUND: [404, 'The webhook does not exist.'],
  WEBHOOK_MESSAGE_NOT_FOUND: [404, 'The message does not exist; it may be older than 30 days.'],
  AUDIT_ENTRY_NOT_FOUND: [404, 'The audit entry does not exist.'],
  FREEZE_WINDOW_NOT_FOUND: [404, 'The freeze window does not exist.'],
  BREAK_GLASS_NOT_FOUND: [404, 'The break-glass session does not exist.'],
  CODE_SNAPSHOT_NOT_FOUND: [404, 'There are no code references for this branch of this repository.'],
  SCHEDULED_CHANGE_NOT_FOUND: [404, 'The scheduled change does not exist.'],
  METHOD_NOT_ALLOWED: [
    405,
    'The path does not support this method; the Allow header lists those that it supports.',
  ],
  REQUEST_TIMEOUT: [408, 'The request did not arrive completely in time; send it again.'],
  EMAIL_ALREADY_EXISTS: [409, 'The e-mail is already registered.'],
  FLAG_KEY_CONFLICT: [409, 'A flag with this key already exists in the project.'],
  PROJECT_KEY_CONFLICT: [409, 'A project with this key already exists.'],
  ENVIRONMENT_KEY_CONFLICT: [409, 'An environment with this key already exists in the project.'],
  SEGMENT_KEY_CONFLICT: [409, 'A segment with this key already exists in the project.'],
  FLAG_ARCHIVED: [409, 'The flag is archived; POST /flags/{flag_id}/restore restores it.'],
  FLAG_NOT_ARCHIVED: [409, 'Only an archived flag can be restored or deleted for good.'],
  FLAG_STATUS_CONFLICT: [409, "The flag's status does not allow this."],
  FLAG_HAS_DEPENDENTS: [409, 'Other flags still have this one as a prerequisite.'],
  FLAG_TYPE_IMMUTABLE: [409, "A flag's type cannot change."],
  PLAN_STALE: [409, 'The project has changed since the import was planned; plan it again.'],
  IMPORT_STATE_CONFLICT: [409, 'The import cannot be applied in its current state.'],
  RESOURCE_IN_USE: [409, 'Something still depends on this.'],
  MEMBER_EXISTS: [409, 'The e-mail already belongs to a member.'],
  LAST_ADMIN: [409, 'An organization needs at least one admin.'],
  FREEZE_WINDOW_ACTIVE: [409, 'A freeze window blocks this change.'],
  FREEZE_WINDOW_OVER: [409, 'The freeze window has ended or was cancelled.'],
  SELF_REVIEW: [409, 'You opened this break-glass session; another admin has to review it.'],
  BREAK_GLASS_OPEN: [409, 'The break-glass session is still open.'],
  BREAK_GLASS_REVIEWED: [409, 'The break-glass session was already reviewed.'],
  MFA_ALREADY_ON: [409, 'The second factor is on; remove it first.'],
  MFA_NOT_STARTED: [409, 'There is no secret to confirm; make one with POST /auth/mfa/totp.'],
  MFA_NOT_ON: [409, 'There is no second factor.'],
  MFA_RESET_OWN: [409, 'You cannot reset your own second factor; DELETE /api/v1/auth/mfa/totp removes it.'],
  WEBHOOK_DISABLED: [409, 'The webhook is disabled; enable it first.'],
  SCHEDULED_CHANGE_DONE: [409, 'The scheduled change was executed or cancelled.'],
  CHANGE_CONFLICT: [409, 'The flag has changed since the revision that the change is based on.'],
  CONTEXTS_NOT_RECORDED: [
    409,
    'The environment records no contexts: set its record_contexts to true, or send contexts.',
  ],
  PRECONDITION_FAILED: [412, 'The resource has changed since the revision in If-Match.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be sent as application/json.'],
  HOST_NOT_ALLOWED: [421, 'The dashboard does not answer at this address.'],
  VARIATION_COUNT_INVALID: [422, 'A boolean flag has exactly 2 variations, any other flag at least 1.'],
  VARIATION_VALUE_TYPE_MISMATCH: [422, "A variation's value does not match the flag type."],
  VARIATION_KEY_DUPLICATE: [422, 'Two variations have the same key.'],
  VARIATION_IN_USE: [422, 'A variation cannot be removed while it is served.'],
  DEFAULT_VARIATION_UNKNOWN: [422, 'The default variation is not a variation of the flag.'],
  RULE_VARIATION_UNKNOWN: [422, 'A rule serves something that is not a variation of the flag.'],
  RULE_TARGET_INVALID: [422, 'A rule has either a variation or a percentage rollout.'],
  RULE_ROLLOUT_EXCEEDS_100: [422, 'The percentages of a rollout add up to more than 100.'],
  CONDITION_VALUE_INVALID: [422, "A condition's value does not fit its operator."],
  REGEX_INVALID: [422, 'The regular expression is outside the supported dialect.'],
  SEGMENT_UNKNOWN: [422, 'A condition names a segment that does not exist.'],
  SEGMENT_NESTING: [422, 'A segment cannot refer to segments.'],
  PREREQUISITE_UNKNOWN: [422, 'A prerequisite names a flag or variation that does not exist.'],
  PREREQUISITE_CYCLE: [422, 'The prerequisites form a cycle.'],
  PREREQUISITE_DEPTH: [422, 'The chain of prerequisites is too deep.'],
  INSTRUCTION_INVALID: [422, 'An instruction refers to something that the flag does not have.'],
  FLAG_KEY_PATTERN_MISMATCH: [422, "The key does not match the project's pattern."],
  DESCRIPTION_REQUIRED: [422, 'The project requires a description of every flag.'],
  BULK_COUNT_MISMATCH: [422, 'The number of flags that the filter matches differs from expected_count.'],
  IMPORT_INVALID: [422, 'The document cannot be imported; see details.errors.'],
  URL_NOT_ALLOWED: [422, 'The server may not call this URL.'],
  LIMIT_EXCEEDED: [422, 'A limit is exceeded; see details.'],
  JUSTIFICATION_REQUIRED: [422, 'A justification of at least 20 characters of text is required.'],
  COMMENT_REQUIRED: [422, 'This requires a comment with the reason.'],
  RECURRENCE_INVALID: [422, 'The recurrence is outside the supported part of RRULE.'],
  PASSWORD_TOO_COMMON: [422, 'The password is too easy to guess. Choose another one.'],
  EMAIL_DOMAIN_NOT_ALLOWED: [422, 'The organization does not accept e-mail addresses of this domain.'],
  SCOPE_EMPTY: [422, 'A break-glass session names at least one environment or project.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The Idempotency-Key was used with another request.'],
  RATE_LIMIT_EXCEEDED: [429, 'Too many requests.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side.'],
  SERVICE_UNAVAILABLE: [
    503,
    'The service cannot do this at the moment: it cannot store changes, or is overloaded.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** `error.details` of the specification: always an object. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** One invalid field of a request, in `details.fields` of a VALIDATION_ERROR. */
export interface FieldError {
  /** Dotted path inside its location, such as `variations.0.key`; empty for the whole location. */
  readonly field: string;
  readonly location: 'body' | 'query' | 'path' | 'header';
  /** `required`, `type`, `minLength`, ...: the keyword that failed. */
  readonly code: string;
  readonly message: string;
}

/** Default `Retry-After` of 503: an unavailable or locked database is usually back within seconds. */
export const RETRY_LATER = { 'retry-after': '5' } as const;

/** `WWW-Authenticate` of a 401, by code; default `Bearer` (RFC 6750). */
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  INVALID_TOKEN: 'Bearer error="invalid_token"',
  TOKEN_EXPIRED: 'Bearer error="invalid_token"',
  INVALID_API_KEY: 'ApiKey',
};

/** The headers that HTTP requires with this status. */
function headersOf(code: ErrorCode, status: number): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': CHALLENGES[code] ?? 'Bearer' };
  return status === 503 ? RETRY_LATER : {};
}

/** An error answer. Throw it anywhere below a route; the error handler writes the envelope. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails;
  /** Sent with the answer, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    options: { message?: string; details?: ErrorDetails; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(options.message ?? ERROR_CODES[code][1]);
    this.name = 'ApiError';
    this.code = code;
    this.status = ERROR_CODES[code][0];
    this.details = options.details ?? {};
    this.headers = { ...headersOf(code, this.status), ...options.headers };
  }
}

/**
 * Ends a request early with 200 and this body, such as the plan of a dry run. If it is thrown inside a transaction, the
 * transaction is rolled back first.
 */
export class EarlyAnswer extends Error {
  readonly body: object;

  constructor(message: string, body: object) {
    super(message);
    this.body = body;
  }
}

/** An error about one field of the body, whose path is `details.field`. */
export function fieldFault(code: ErrorCode, field: string, details: ErrorDetails = {}): ApiError {
  return new ApiError(code, { details: { field, ...details } });
}

/** A VALIDATION_ERROR about the given fields. */
export function invalid(...fields: readonly FieldError[]): ApiError {
  return new ApiError('VALIDATION_ERROR', { details: { fields } });
}

/** A PAYLOAD_TOO_LARGE that names the maximum in bytes. */
export function payloadTooLarge(maximum: number): ApiError {
  const size = maximum < 1024 ** 2 ? `${maximum / 1024} KiB` : `${maximum / 1024 ** 2} MiB`;
  const message = `The body is too large: the maximum is ${size}.`;
  return new ApiError('PAYLOAD_TOO_LARGE', { message, details: { limit: 'body_bytes', maximum } });
}

/** The unit of a limit's maximum, for limits whose name does not contain it. */
const UNITS: Readonly<Record<string, string>> = {
  value_length: 'characters',
  variation_value: 'bytes of JSON',
  variation_values: 'bytes of JSON',
};

/** A LIMIT_EXCEEDED that names the limit, its maximum and, if given, the field. */
export function limitExceeded(details: {
  readonly limit: string;
  readonly maximum: number;
  readonly field?: string;
}): ApiError {
  const { limit, maximum, field } = details;
  const place = field === undefined ? '' : ` in ${field}`;
  const what = UNITS[limit] ?? limit.replaceAll('_', ' ');
  const message = `A limit is exceeded: at most ${maximum} ${what}${place}.`;
  return new ApiError('LIMIT_EXCEEDED', { message, details });
}

/** The error envelope ("Errors"). */
export function errorBody(error: ApiError): {
  error: { code: ErrorCode; message: string; details: ErrorDetails };
} {
  return { error: { code: error.code, message: error.message, details: error.details } };
}

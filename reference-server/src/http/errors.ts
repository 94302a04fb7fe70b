import { ERROR_CODES, type ErrorCode } from './error-codes.ts';

/** What the specification calls `error.details`: always an object. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** One invalid field of a request, in `details.fields` of a VALIDATION_ERROR. */
export interface FieldError {
  /** Dotted path inside its location, `variations.0.key`; empty for the whole. */
  readonly field: string;
  readonly location: 'body' | 'query' | 'path' | 'header';
  /** `required`, `type`, `minLength`, ...: the keyword that failed. */
  readonly code: string;
  readonly message: string;
}

/** Default `Retry-After` of 503: a database that is away or locked is usually back within seconds. */
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
 * Ends a request early with 200 and this body, such as the plan of a dry run. Thrown out of a transaction, it undoes the
 * transaction first.
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

/** A VALIDATION_ERROR over the given fields. */
export function invalid(...fields: readonly FieldError[]): ApiError {
  return new ApiError('VALIDATION_ERROR', { details: { fields } });
}

/** A PAYLOAD_TOO_LARGE that names the maximum in bytes. */
export function payloadTooLarge(maximum: number): ApiError {
  const size = maximum < 1024 ** 2 ? `${maximum / 1024} KiB` : `${maximum / 1024 ** 2} MiB`;
  const message = `The body is too large: it may hold ${size}.`;
  return new ApiError('PAYLOAD_TOO_LARGE', { message, details: { limit: 'body_bytes', maximum } });
}

/** The unit of a limit's maximum, where the limit's name does not say it. */
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

import type { TObject, TSchema } from 'typebox';
import type { ErrorCode } from '../../http/errors.ts';
import { isOpenToEnrolment } from '../access/enrolment.ts';
import type { RouteDescription } from './route-description.ts';

/** The error codes that an endpoint can answer because of its access, its schemas or its kind. */
export function commonErrors(of: RouteDescription<TSchema, TObject, TObject>): ErrorCode[] {
  const codes: ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];
  if (of.access !== 'public' || of.limitByIp === true) codes.push('RATE_LIMIT_EXCEEDED');
  if (of.access !== 'public') {
    codes.push('UNAUTHENTICATED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'INSUFFICIENT_PERMISSIONS');
    if (!isOpenToEnrolment(of.access)) codes.push('MFA_ENROLLMENT_REQUIRED');
  }
  // Strict handling refuses unknown query parameters, so endpoints without parameters can answer this too.
  if (of.access !== 'apiKey' || of.params !== undefined || of.query !== undefined)
    codes.push('VALIDATION_ERROR');
  // A path with malformed percent-encoding matches no route.
  if (of.params !== undefined) codes.push('NOT_FOUND');
  if (of.body !== undefined) codes.push('VALIDATION_ERROR', 'LIMIT_EXCEEDED');
  // The body is parsed, and can be refused, even where the endpoint has no body schema.
  if (of.body !== undefined || of.answer[0] !== 200 || of.writes === true || of.isPost === true)
    codes.push(...BODY_ERRORS);
  if (of.writes === true) codes.push(...WRITE_ERRORS);
  return codes;
}

const BODY_ERRORS = [
  'VALIDATION_ERROR',
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
] as const satisfies readonly ErrorCode[];

/** Refusals of the write gate. */
const WRITE_ERRORS = [
  'ORGANIZATION_SUSPENDED',
  'AGENT_NOT_ALLOWED',
  'FREEZE_WINDOW_ACTIVE',
  'COMMENT_REQUIRED',
  'JUSTIFICATION_REQUIRED',
  'REAUTHENTICATION_REQUIRED',
  'BREAK_GLASS_EXPIRED',
  'BREAK_GLASS_OUT_OF_SCOPE',
  'PRECONDITION_FAILED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_KEY_REUSED',
] as const satisfies readonly ErrorCode[];

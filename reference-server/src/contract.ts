/** Entry point for clients of the API: types of its codes, errors and limits. */

export type { Permission, Role } from './control-plane/access/roles.ts';
export type { BatchReceipt, KeyKind, RejectedEvent } from './data-plane/ports.ts';
export type { ErrorCode, ErrorDetails, FieldError } from './http/errors.ts';
export type { RateCategory } from './http/rate-limits.ts';

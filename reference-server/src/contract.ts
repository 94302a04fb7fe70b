/** The door for clients of the API: its codes, its errors and its limits, as types. */

export type { Permission, Role } from './control-plane/access/roles.ts';
export type { BatchReceipt, KeyKind, RejectedEvent } from './data-plane/ports.ts';
export type { ErrorCode } from './http/error-codes.ts';
export type { ErrorDetails, FieldError } from './http/errors.ts';
export type { RateCategory } from './http/rate-limit.ts';

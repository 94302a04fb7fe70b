/** The door for extensions: what a guard of the write gate sees, and may refuse. */
export type {
  Change,
  ChangeOptions,
  Guard,
  GuardedChange,
  Plan,
  Resource,
} from './features/audit/apply-change.ts';
export type { Actor, Origin, Permission, Role } from './http/authorize.ts';
export type { ErrorCode } from './http/error-codes.ts';
export type { Tx } from './storage/database.ts';

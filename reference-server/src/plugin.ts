/**
 * The door for extensions: what a guard of the write gate sees, may refuse and gives back. Types alone: `buildServer` does
 * not take guards of others yet.
 */

export type { Actor, Origin, Permission, Role } from './control-plane/access/authorize.ts';
export type {
  Change,
  ChangeOptions,
  Guard,
  GuardedChange,
  Note,
  Plan,
  Resource,
  Waiver,
} from './control-plane/write-gate/gate.ts';
export type { ErrorCode } from './http/error-codes.ts';
export type { Tx } from './storage/database.ts';

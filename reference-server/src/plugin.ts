/**
 * The door for extensions: the types by which a guard of the write gate reads a change, refuses it or permits it. Types
 * alone: `buildServer` takes no guards from outside yet.
 */

export type { Actor, Origin } from './control-plane/access/actor.ts';
export type { Permission, Role } from './control-plane/access/roles.ts';
export type {
  Change,
  ChangeOptions,
  ExtraEntry,
  Plan,
  Reach,
  Resource,
} from './control-plane/write-gate/change.ts';
export type { Guard, GuardedChange, Waiver } from './control-plane/write-gate/guard.ts';
export type { ErrorCode } from './http/error-codes.ts';
export type { Tx } from './storage/database.ts';

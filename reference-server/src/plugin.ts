/**
 * The door for extensions: what a guard of the write gate sees, may refuse and gives back. Types alone: `buildServer` does
 * not take guards of others yet.
 */

export type { Actor, Origin } from './control-plane/access/actor.ts';
export type { Permission, Role } from './control-plane/access/roles.ts';
export type { Change, ChangeOptions, ExtraEntry, Plan, Resource } from './control-plane/write-gate/change.ts';
export type { Guard, GuardedChange, Waiver } from './control-plane/write-gate/guard.ts';
export type { ErrorCode } from './http/error-codes.ts';
export type { Tx } from './storage/database.ts';

/**
 * Entry point for plugins: the type that `buildServer({ plugins })` accepts, and the functions that make the endpoints
 * and guards of a plugin.
 */

export { type Static, Type } from 'typebox';
export type { Actor, Origin } from './control-plane/access/actor.ts';
export { actorOf } from './control-plane/access/request-actor.ts';
export type { Permission, Role } from './control-plane/access/roles.ts';
export type { Access } from './control-plane/access/route-access.ts';
export type { BackgroundJob, JobSchedule } from './control-plane/background/job.ts';
export { changeOptions } from './control-plane/endpoint/change-options.ts';
export { cutPage, pageOf, pageQuery } from './control-plane/endpoint/paging.ts';
export { route } from './control-plane/endpoint/route.ts';
export type { RouteDescription } from './control-plane/endpoint/route-description.ts';
export type { CommitListener } from './control-plane/feature.ts';
export {
  type PluginContext,
  PluginError,
  type PluginLog,
  type PluginRoutes,
  type ServerPlugin,
} from './control-plane/plugins/server-plugin.ts';
export type {
  Change,
  ChangeOptions,
  Commit,
  ExtraEntry,
  Plan,
  Reach,
  Resource,
  WriteGate,
} from './control-plane/write-gate/change.ts';
export type { Guard, GuardedChange, Waiver } from './control-plane/write-gate/guard.ts';
export { Data, data, Page, page } from './http/envelope.ts';
export type { ErrorCode } from './http/errors.ts';
export { ApiError } from './http/errors.ts';
export type { Database, Tx } from './storage/database.ts';
export type { EngineName, PluginMigration } from './storage/plugin-migrations.ts';

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../storage/database.ts';
import type { NewId } from '../../storage/ids.ts';
import type { PluginMigration } from '../../storage/plugin-migrations.ts';
import type { BackgroundJob } from '../background/job.ts';
import type { CommitListener } from '../feature.ts';
import type { WriteGate } from '../write-gate/change.ts';
import type { Guard } from '../write-gate/guard.ts';

/** An extension of the server, handed to `buildServer({ plugins })`. Only the name is required. */
export interface ServerPlugin {
  /**
   * Unique among the plugins of a server: a lower-case letter, then up to 39 lower-case letters, digits and hyphens. It
   * keeps the plugin's migrations apart and must not change afterwards. Logs and errors name it.
   */
  readonly name: string;
  /** Run once per database, when the server is built and before any other part of the plugin is used; default none. */
  readonly migrations?: readonly PluginMigration[];
  /** Check planned changes, after the guards of the server and of earlier plugins; default none. */
  readonly guards?: readonly Guard[];
  /** Default none. */
  readonly routes?: PluginRoutes;
  /** Run by the leading process; default none. Job names need to be unique within the plugin. */
  readonly jobs?: (context: PluginContext) => readonly BackgroundJob[];
  /**
   * Called after each commit of this process, but not after commits of other processes; default none. The caller is
   * answered only after the promise has settled. The change is already committed, so an error of a listener is only
   * logged.
   */
  readonly commitListeners?: (context: PluginContext) => readonly CommitListener[];
}

/** The endpoints of a plugin. All endpoints share body parsing, access control, errors and the API document. */
export interface PluginRoutes {
  /** Begins with a slash and ends without one; default `/api/v1`. */
  readonly prefix?: string;
  /** Registers endpoints that are described with `route()`. Hooks and decorators stay within the plugin. */
  register(app: FastifyInstance, context: PluginContext): void | Promise<void>;
}

/** The parts of the server that a plugin can use. */
export interface PluginContext {
  /** The database of the server; `db.withTables<…>()` adds the types of the plugin's own tables. */
  readonly db: Database;
  /** The only way to change the server's own tables. */
  readonly gate: WriteGate;
  /** Makes ids such as `evt_…`, ordered by time. */
  readonly newId: NewId;
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly log: PluginLog;
}

/** Writes to the log of the server, with the plugin's name. */
export interface PluginLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A plugin cannot be used. The message names it. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  readonly plugin: string;

  constructor(plugin: string, reason: string, options?: ErrorOptions) {
    super(`plugin "${plugin}": ${reason}`, options);
    this.plugin = plugin;
  }
}

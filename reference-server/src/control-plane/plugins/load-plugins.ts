import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Database } from '../../storage/database.ts';
import { migratePlugin } from '../../storage/plugin-migrations.ts';
import type { CommitListener, Feature } from '../feature.ts';
import type { Guard } from '../write-gate/guard.ts';
import { type PluginContext, PluginError, type PluginLog, type ServerPlugin } from './server-plugin.ts';

const NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** Checks the names of the plugins and runs their migrations. Throws a PluginError that names the plugin at fault. */
export async function preparePlugins(db: Database, plugins: readonly ServerPlugin[]): Promise<void> {
  const names = new Set<string>();
  for (const { name } of plugins) {
    if (!NAME.test(name)) throw new PluginError(name, `its name does not match ${NAME.source}`);
    if (names.has(name)) throw new PluginError(name, 'another plugin has the same name');
    names.add(name);
  }
  for (const { name, migrations = [] } of plugins) {
    await migratePlugin(db, name, migrations).catch((cause: Error) => {
      throw new PluginError(name, cause.message, { cause });
    });
  }
}

/** The guards of all plugins, in order, each named `<plugin>/<guard>`. */
export function guardsOf(plugins: readonly ServerPlugin[]): readonly Guard[] {
  return plugins.flatMap(({ name, guards = [] }) =>
    guards.map((guard) => ({
      name: `${name}/${guard.name}`,
      check: (tx, change) => guard.check(tx, change),
    })),
  );
}

/** A plugin as a feature, with the prefix of its routes. */
export interface PluginFeature {
  readonly prefix: string;
  readonly feature: Feature<undefined>;
}

export function featureOf(
  plugin: ServerPlugin,
  shared: Omit<PluginContext, 'log'> & { readonly logger: FastifyBaseLogger | undefined },
): PluginFeature {
  const { name, routes, jobs, commitListeners } = plugin;
  const { logger, ...lent } = shared;
  const log = createLog(name, logger);
  const context: PluginContext = { ...lent, log };
  return {
    prefix: routes?.prefix ?? '/api/v1',
    feature: {
      service: undefined,
      ...(routes !== undefined && { routes: (app) => registerRoutes(app, plugin, context) }),
      jobs: (jobs?.(context) ?? []).map((job) => ({ ...job, name: `${name}: ${job.name}` })),
      commitListeners: (commitListeners?.(context) ?? []).map((listener) => logErrors(listener, log)),
    },
  };
}

async function registerRoutes(
  app: FastifyInstance,
  { name, routes }: ServerPlugin,
  context: PluginContext,
): Promise<void> {
  try {
    await routes?.register(app, context);
  } catch (cause) {
    throw new PluginError(name, `its routes cannot be registered: ${(cause as Error).message}`, { cause });
  }
}

function logErrors(listener: CommitListener, log: PluginLog): CommitListener {
  return async (commit) => {
    try {
      await listener(commit);
    } catch (err) {
      log.error({ err }, 'commit listener failed');
    }
  };
}

function createLog(plugin: string, logger: FastifyBaseLogger | undefined): PluginLog {
  return {
    info: (fields, message) => logger?.info({ plugin, ...fields }, message),
    warn: (fields, message) => logger?.warn({ plugin, ...fields }, message),
    error: (fields, message) => logger?.error({ plugin, ...fields }, message),
  };
}

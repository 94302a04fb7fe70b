import { once } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { buildServer } from '../app/build-server.ts';
import { countUsers } from '../control-plane/features/users/user-store.ts';
import { createDashboardServer } from '../dashboard/dashboard-server.ts';
import { createPageRequests } from '../http/page-requests.ts';
import { createOutbound } from '../outbound/outbound.ts';
import type { OpeningOptions } from '../storage/open-database.ts';
import type { MetricsFacts, MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';
import { loadOtlp, OtlpMissing } from '../telemetry/otlp/load-otlp.ts';
import type { OtlpConfig } from '../telemetry/otlp/otlp-config.ts';
import type { Otlp } from '../telemetry/otlp/start-otlp.ts';
import type { Config } from './config-variables.ts';
import { closeApp, drainConnections, stopOnSignal } from './graceful-shutdown.ts';
import { isLoopback, urlOf } from './listen-address.ts';
import { explainListenError } from './listen-errors.ts';

import { startMetricsServer } from './metrics-server.ts';
import { openOrFail } from './open-database.ts';
import { openLimits } from './open-limits.ts';
import { fail } from './output.ts';
import { createSendMail } from './send-mail.ts';
import { createServerLog } from './server-log.ts';

/** Pause between passes of the background jobs. A scheduled change can be this late. */
const BACKGROUND_INTERVAL_MS = 1_000;

const OPEN_REGISTRATION =
  'anyone who can reach this server can register; to prevent that, set FLAGSVC_REGISTRATION=invite (the first user can always register)';

const NOT_BUILT =
  'the dashboard is not built, so its pages say how to build it: run `npm run build` in the repository';

export interface ServeOptions {
  readonly version: string;
  readonly build: typeof buildServer;
  /** Whether the log may have colours on a terminal. */
  readonly color: boolean;
  /** Exports metrics and traces by OTLP. Absent: nothing is exported. */
  readonly otlp?: OtlpConfig | undefined;
  /** Finds the folder of the built dashboard; undefined while it is not built. */
  readonly findFiles: () => string | undefined;
  /** The server stops when this parent process ends. */
  readonly parent?: number | undefined;
}

/** Opens the database, builds the server and listens until a signal. Failures to start are written to standard error. */
export async function serve(config: Config, options: ServeOptions): Promise<void> {
  const { version, build, findFiles } = options;
  const logger = createServerLog({ level: config.logLevel, color: options.color });
  const otlp = await startOtlpOrFail(config, options, logger);
  if (otlp === 'failed') return;
  const db = await openOrFail(config, logMigrations(logger));
  if (db === undefined) return otlp?.close();
  const createMetrics = await loadMetrics(config, options);
  const pageRequests = config.dashboardPort === null ? undefined : createPageRequests();
  const limits = await openLimits(config, db, logger);
  const app = await build({
    ...config,
    db,
    logger,
    pageRequests,
    limiter: limits.limiter,
    sharedLimits: limits.sharedLimits,
    commitNotices: limits.commitNotices,
    shedsLoad: true,
    streams: { maxPerKey: config.streamsPerKey, maxPerEnvironment: config.streamsPerEnvironment },
    outbound: createOutbound({
      ...config.outboundAllow,
      allowHttp: config.outboundAllowHttp,
      proxy: config.outboundProxy ?? undefined,
    }),
    createMetrics,
    tracing: otlp?.tracing,
    sendMail: createSendMail(config),
    backgroundIntervalMs: BACKGROUND_INTERVAL_MS,
    version,
  }).catch(async (error: Error & { code?: unknown }) => {
    await otlp?.close();
    await limits.close();
    await db.destroy();
    if (error.code !== 'SECRET_CHANGED') throw error;
    fail(`flagsvc cannot start: ${error.message}`);
  });
  if (app === undefined) return;
  otlp?.exportMetrics(app.metrics);

  const dashboard =
    pageRequests && createDashboardServer({ app, pages: pageRequests, url: config.dashboardUrl, findFiles });
  const servers = dashboard === undefined ? [app.server] : [app.server, dashboard];
  const stop = async (): Promise<void> => {
    await closeApp(app, servers);
    await otlp?.close();
    await limits.close();
    await db.destroy();
  };
  const isEmpty = (await countUsers(db)) === 0;
  try {
    drainConnections(app, servers);
    await app.ready();
    if (dashboard !== undefined) await listenDashboard(dashboard, config, logger);
    if (dashboard !== undefined && findFiles() === undefined) logger.info(NOT_BUILT);
    await listen(app, config, logger);
  } catch (error) {
    await stop();
    return fail(explainListenError(error as NodeJS.ErrnoException, config));
  }
  // Must come before the log line, because a process that reads the line may send a signal at once.
  stopOnSignal(async () => {
    logger.info('stopping after the current requests');
    await stop();
    logger.info('stopped');
  }, options.parent);
  logger.info(`listening on ${urlOf(app.server, config.host)}`);
  if (isEmpty) {
    const where =
      dashboard === undefined
        ? `${urlOf(app.server, config.host)}/api/v1/auth/register (POST email and password)`
        : `${config.dashboardUrl}/register`;
    logger.info(`No user yet: register at ${where} to become the admin`);
  }
  const isReachable = !isLoopback(app.server) || config.trustProxy.length > 0;
  if (config.registration === 'open' && isReachable) logger.warn(OPEN_REGISTRATION);
}

async function listen(
  app: FastifyInstance,
  { host, port, metricsPort }: Config,
  logger: Logger,
): Promise<void> {
  await app.listen({ host, port });
  if (metricsPort === null) return;
  const server = await startMetricsServer({ host, port: metricsPort, metrics: app.metrics! });
  logger.info(`metrics available at ${urlOf(server, host)}/metrics`);
}

function logMigrations(logger: Logger): OpeningOptions {
  return {
    onWait: () => logger.info('waiting for another node that is migrating the database'),
    onMigrated: (migrations) => logger.info({ migrations }, 'the database was migrated to this version'),
  };
}

/** Loads prom-client only if metrics are served or exported. */
async function loadMetrics(
  { metricsPort }: Config,
  { otlp }: ServeOptions,
): Promise<((facts: MetricsFacts) => MetricsRegistry) | undefined> {
  if (metricsPort === null && otlp?.exportsMetrics !== true) return undefined;
  const { createPrometheusMetrics } = await import('../telemetry/metrics/prometheus-registry.ts');
  return createPrometheusMetrics;
}

/** Starts the export by OTLP if it is configured; writes why it cannot start to standard error. */
async function startOtlpOrFail(
  { databaseUrl }: Config,
  { otlp, version }: ServeOptions,
  logger: Logger,
): Promise<Otlp | 'failed' | undefined> {
  if (otlp === undefined) return undefined;
  for (const warning of otlp.warnings) logger.warn(warning);
  try {
    return await loadOtlp(otlp, {
      version,
      databaseSystem: databaseUrl.startsWith('sqlite:') ? 'sqlite' : 'postgresql',
      onFault: (fault) => logger.warn({ fault }, 'OpenTelemetry could not export'),
    });
  } catch (error) {
    if (!(error instanceof OtlpMissing)) throw error;
    fail(`flagsvc cannot start: ${error.message}.`);
    return 'failed';
  }
}

/** Starts the dashboard, before the API, so that it can be opened once the log says that the API listens. */
async function listenDashboard(dashboard: Server, config: Config, logger: Logger): Promise<void> {
  dashboard.listen({ host: config.dashboardHost, port: config.dashboardPort! });
  await once(dashboard, 'listening');
  logger.info(`dashboard on ${urlOf(dashboard, config.dashboardHost)}, for browsers ${config.dashboardUrl}`);
}

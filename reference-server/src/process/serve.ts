import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import type { buildServer } from '../app/build-server.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createTextMetrics } from '../http/text-metrics.ts';
import { createOutbound } from '../outbound/outbound.ts';
import type { Config } from './config-variables.ts';
import { closeApp, drainConnections, stopOnSignal } from './graceful-shutdown.ts';
import { isLoopback, urlOf } from './listen-address.ts';
import { explainListenError } from './listen-errors.ts';
import { createStandardLog } from './log-destination.ts';
import { startMetricsServer } from './metrics-server.ts';
import { openOrFail } from './open-database.ts';
import { fail } from './output.ts';

/** Pause between passes of the background jobs. A scheduled change can be this late. */
const BACKGROUND_INTERVAL_MS = 1_000;

const OPEN_REGISTRATION =
  'anyone who can reach this server can register; to prevent that, set FLAGSVC_REGISTRATION=invite (the first user can always register)';

export interface ServeOptions {
  readonly version: string;
  readonly build: typeof buildServer;
}

/** Opens the database, builds the server and listens until a signal. Failures to start are written to standard error. */
export async function serve(config: Config, { version, build }: ServeOptions): Promise<void> {
  const redact = ['*.authorization', '*["x-api-key"]', '*.password'];
  const logger = pino({ level: config.logLevel, redact }, createStandardLog());
  const onWait = () => logger.info('waiting for another node that is migrating the database');
  const db = await openOrFail(config.databaseUrl, onWait);
  if (db === undefined) return;
  const app = await build({
    ...config,
    db,
    logger,
    limiter: createRateLimiter(),
    shedsLoad: true,
    streams: { maxPerKey: config.streamsPerKey, maxPerEnvironment: config.streamsPerEnvironment },
    outbound: createOutbound({
      ...config.outboundAllow,
      allowHttp: config.outboundAllowHttp,
      proxy: config.outboundProxy ?? undefined,
    }),
    createMetrics: config.metricsPort === null ? undefined : createTextMetrics,
    backgroundIntervalMs: BACKGROUND_INTERVAL_MS,
    version,
  }).catch(async (error: Error & { code?: unknown }) => {
    await db.destroy();
    if (error.code !== 'SECRET_CHANGED') throw error;
    fail(`flagsvc cannot start: ${error.message}`);
  });
  if (app === undefined) return;

  const stop = async (): Promise<void> => {
    await closeApp(app);
    await db.destroy();
  };
  try {
    await listen(app, config, logger);
  } catch (error) {
    await stop();
    return fail(explainListenError(error as NodeJS.ErrnoException, config));
  }
  // Must come before the log line, because a process that reads the line may send a signal at once.
  stopOnSignal(stop);
  logger.info(`listening on ${urlOf(app.server, config.host)}`);
  const isReachable = !isLoopback(app.server) || config.trustProxy.length > 0;
  if (config.registration === 'open' && isReachable) logger.warn(OPEN_REGISTRATION);
}

async function listen(
  app: FastifyInstance,
  { host, port, metricsPort }: Config,
  logger: Logger,
): Promise<void> {
  drainConnections(app);
  await app.ready();
  await app.listen({ host, port });
  if (metricsPort === null) return;
  const server = await startMetricsServer({ host, port: metricsPort, metrics: app.metrics! });
  logger.info(`metrics available at ${urlOf(server, host)}/metrics`);
}

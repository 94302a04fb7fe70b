import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import {
  closeApp,
  createServerLog,
  drainConnections,
  type Env,
  startMetricsServer,
  stopOnSignal,
  urlOf,
} from '@flagsvc/reference-server/data-plane';
import { parseConfig, type RelayConfig } from '../config/parse-config.ts';
import type { RelayState } from '../http/relay-state.ts';
import { createRelay } from './create-relay.ts';

/** Runs the relay until a signal ends it. Writes why it cannot start to standard error and sets the exit status. */
export async function serve({
  env,
  version,
}: {
  readonly env: Env;
  readonly version: string;
}): Promise<void> {
  const result = parseConfig(env, (path) => readFileSync(path, 'utf8'));
  if ('faults' in result) {
    const lines = result.faults.map(({ variable, message }) => `  ${variable} ${message}`);
    const count = lines.length === 1 ? '1 error' : `${lines.length} errors`;
    return fail(`flagsvc-relay cannot start: ${count} in its configuration.\n${lines.join('\n')}`);
  }
  const { config, warnings } = result;
  for (const { variable, message } of warnings)
    process.stderr.write(`flagsvc-relay: ${variable} ${message}\n`);
  const { NO_COLOR, TERM } = env as { NO_COLOR?: string; TERM?: string };
  const logger = createServerLog({ level: config.logLevel, color: !NO_COLOR && TERM !== 'dumb' });
  const { app, source, start } = await createRelay({ config, version, logger });
  const stop = (): Promise<void> => closeApp(app, [app.server]);
  try {
    drainConnections(app, [app.server]);
    await app.ready();
    await start();
    await app.listen({ host: config.host, port: config.port });
    if (config.metricsPort !== null) {
      const metrics = await serveMetrics(config, source);
      logger.info(`metrics available at ${urlOf(metrics, config.host)}/metrics`);
    }
  } catch (error) {
    await stop();
    return fail(`flagsvc-relay cannot start: ${explainListenError(error as ListenError, config)}`);
  }
  // Must come before the log line, because a process that reads the line may send a signal at once.
  stopOnSignal(stop);
  logger.info(`relay listening on ${urlOf(app.server, config.host)}`);
}

/** Loads prom-client only if metrics are served. */
async function serveMetrics({ host, metricsPort }: RelayConfig, source: RelayState): Promise<Server> {
  const { createRelayMetrics } = await import('./relay-metrics.ts');
  return startMetricsServer({ host, port: metricsPort!, metrics: createRelayMetrics(source) });
}

type ListenError = NodeJS.ErrnoException & { readonly port?: number };

function explainListenError(
  { code, message, port }: ListenError,
  config: Pick<RelayConfig, 'port' | 'metricsPort'>,
): string {
  const isMetrics = port !== undefined && port === config.metricsPort && port !== config.port;
  const variable = isMetrics ? 'FLAGSVC_RELAY_METRICS_PORT' : 'FLAGSVC_RELAY_PORT';
  if (code === 'EADDRINUSE')
    return `the port of ${variable} is in use; choose another, or 0 for any free port.`;
  if (code === 'EADDRNOTAVAIL') return 'the address of FLAGSVC_RELAY_HOST is not one of this machine.';
  if (code === 'EACCES') return `this user may not listen on ${variable}; choose a port above 1023.`;
  return message;
}

function fail(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

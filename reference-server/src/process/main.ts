#!/usr/bin/env node
/**
 * The process: the only file that reads the environment, opens the database and listens. What needs a newer Node
 * is imported only after the version was looked at, so that an old one hears a reason and not a stack.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../storage/database.ts';
import type { Config } from './config.ts';
import { sayFarewell } from './graceful-shutdown.ts';
import { createStandardLog } from './log-destination.ts';
import type { Maintenance } from './maintenance.ts';
import { keepOldGenerationSmall } from './old-generation.ts';
import { keepYoungGenerationSmall } from './young-generation.ts';

/** The first whose Node-API better-sqlite3 can do with. */
const NODE_MIN = [22, 14] as const;
/** What was begun before a signal has this long to be done. */
const SHUTDOWN_LIMIT_MS = 10_000;
/** And this long to be answered: then connections are closed. */
const CONNECTION_PATIENCE_MS = 3_000;

/** A scheduled change is executed at most so much after its time, and what it takes. */
const BACKGROUND_INTERVAL_MS = 1_000;

/** What to do when the database cannot be opened, by the code or name of the error; what is not here says it itself. */
const OPEN_HINTS: Readonly<Record<string, string>> = {
  NewerSchema: '',
  DATABASE_CORRUPT: ' Restore a backup.',
};

const OPEN_REGISTRATION =
  'anybody who reaches this server can register: set FLAGSVC_REGISTRATION=invite. The first user can register in any case';

const USAGE = `Usage: flagsvc-server [command]

Without a command it serves. It is configured by the environment variables FLAGSVC_*, which its README lists;
FLAGSVC_JWT_SECRET_KEY and FLAGSVC_API_SECRET_KEY are required.

  accept-secrets  lets the database be used with the secrets of this environment
  renew-epochs    after a restore: keeps versions that are counted again from being taken for those from before
  --help, --version`;

await start();

async function start(): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1])) {
    return refuse(`flagsvc needs Node.js ${NODE_MIN.join('.')} or newer; this is ${process.version}.`);
  }
  // What cannot be said, such as on a full disk, keeps nothing from being done.
  process.stderr.on('error', () => {});
  const [command, ...more] = process.argv.slice(2);
  if (command === '--help' || command === '-h') return tell(USAGE);
  if (command === '--version') return tell(readVersion());
  keepYoungGenerationSmall();
  const { parseConfig } = await import('./config.ts');
  const result = parseConfig(process.env);
  if ('faults' in result) {
    const lines = result.faults.map(({ variable, message }) => `  ${variable} ${message}`);
    const count = lines.length === 1 ? 'one fault' : `${lines.length} faults`;
    return refuse(`flagsvc cannot start: ${count} in its configuration.\n${lines.join('\n')}`);
  }
  for (const { variable, message } of result.warnings)
    process.stderr.write(`flagsvc: ${variable} ${message}\n`);
  if (command === undefined) return serve(result.config);
  const { MAINTENANCE } = await import('./maintenance.ts');
  const isKnown = Object.hasOwn(MAINTENANCE, command);
  if (isKnown && more.length === 0) return maintain(result.config, MAINTENANCE[command]!);
  refuse(`flagsvc-server does not know "${isKnown ? more[0] : command}".\n\n${USAGE}`);
}

async function open(databaseUrl: string, onWait?: () => void): Promise<Database | undefined> {
  const { openDatabase } = await import('../storage/open-database.ts');
  return openDatabase(databaseUrl, onWait).catch((error: Error) => {
    const hint = OPEN_HINTS[(error as { code?: string }).code ?? error.name] ?? ' See FLAGSVC_DATABASE_URL.';
    refuse(`flagsvc cannot open ${withoutPassword(databaseUrl)}: ${error.message}.${hint}`);
    return undefined;
  });
}

/** Does one thing to the database, and does not serve. */
async function maintain(config: Config, act: Maintenance): Promise<void> {
  const db = await open(config.databaseUrl);
  if (db === undefined) return;
  try {
    tell(await act(db, config));
  } finally {
    await db.destroy();
  }
}

async function serve(config: Config): Promise<void> {
  const [{ buildServer }, { createRateLimiter }, { createOutbound }, { pino }] = await Promise.all([
    import('../app/build-server.ts'),
    import('../http/rate-limit.ts'),
    import('../outbound/outbound.ts'),
    import('pino'),
  ]);
  const redact = ['*.authorization', '*["x-api-key"]', '*.password'];
  const logger = pino({ level: config.logLevel, redact }, createStandardLog());
  const onWait = () => logger.info('flagsvc waits for another node that brings the tables up to date');
  const db = await open(config.databaseUrl, onWait);
  if (db === undefined) return;
  const app = await buildServer({
    ...config,
    db,
    logger,
    limiter: createRateLimiter(),
    shedsLoad: true,
    fastPath: true,
    streams: { maxPerKey: config.streamsPerKey, maxPerEnvironment: config.streamsPerEnvironment },
    outbound: createOutbound({
      ...config.outboundAllow,
      allowHttp: config.outboundAllowHttp,
      proxy: config.outboundProxy ?? undefined,
    }),
    countsRequests: config.metricsPort !== null,
    backgroundIntervalMs: BACKGROUND_INTERVAL_MS,
    version: readVersion(),
  }).catch(async (error: Error & { code?: unknown }) => {
    await db.destroy();
    if (error.code !== 'SECRET_CHANGED') throw error;
    refuse(`flagsvc cannot start: ${error.message}`);
  });
  if (app === undefined) return;
  const stop = async (): Promise<void> => {
    // A connection that has not asked anything counts as busy, and would keep the server from closing.
    const patience = setTimeout(() => app.server.closeAllConnections(), CONNECTION_PATIENCE_MS);
    await app.close();
    clearTimeout(patience);
    await db.destroy();
  };

  try {
    sayFarewell(app);
    await app.ready();
    keepOldGenerationSmall();
    await app.listen({ host: config.host, port: config.port });
    if (config.metricsPort !== null) await serveMetrics(app, config.host, config.metricsPort, logger);
  } catch (error) {
    await stop();
    return refuse(explainListen(error as NodeJS.ErrnoException, config));
  }
  // Before anybody hears that it listens: whoever does may send a signal at once.
  stopOnSignal(stop);
  logger.info(`flagsvc listens on ${addressOf(app, config)}`);
  if (config.registration === 'open' && isReachable(app, config)) logger.warn(OPEN_REGISTRATION);
}

/** From other machines, by itself or through a proxy. */
function isReachable(app: FastifyInstance, { trustProxy }: Config): boolean {
  const { address } = app.server.address() as AddressInfo;
  const isLoopback = address === '::1' || /^(::ffff:)?127\./.test(address);
  return !isLoopback || trustProxy.length > 0;
}

/** As it may be shown: neither the password nor the parameters, which may be secrets too. */
function withoutPassword(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl;
  const { protocol, username, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** On a port of its own, which nobody but Prometheus need reach. */
async function serveMetrics(
  app: FastifyInstance,
  host: string,
  port: number,
  logger: { info(text: string): void },
): Promise<void> {
  const server = createServer((request, response) => {
    const isThere = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(isThere ? app.metrics?.() : '');
  });
  server.listen(port, host);
  await once(server, 'listening');
  server.unref();
  const { port: own } = server.address() as AddressInfo;
  logger.info(`flagsvc tells its metrics on ${urlOf(host, own)}/metrics`);
}

/** The first signal lets requests in flight finish; the second one, or too long a wait, ends the process. */
function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(() => {
      process.stderr.write('flagsvc did not stop in time: something it waits for does not end\n');
      process.exit(1);
    }, SHUTDOWN_LIMIT_MS).unref();
    stop().then(
      () => process.exit(0),
      (error: Error) => {
        process.stderr.write(`flagsvc did not stop cleanly: ${error.message}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function explainListen(error: NodeJS.ErrnoException & { port?: number }, config: Config): string {
  const { host } = config;
  const isMetrics = error.port === config.metricsPort && error.port !== config.port;
  const [port, variable] = isMetrics
    ? [config.metricsPort, 'FLAGSVC_METRICS_PORT']
    : [config.port, 'FLAGSVC_PORT'];
  switch (error.code) {
    case 'EADDRINUSE':
      return `flagsvc cannot listen: port ${port} on ${host} is taken. Stop what uses it, or set ${variable} to another port.`;
    case 'EACCES':
      return `flagsvc cannot listen: port ${port} needs more rights. Set ${variable} to a port above 1023.`;
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return `flagsvc cannot listen: ${host} is no address of this machine. Set FLAGSVC_HOST to one that is.`;
    default:
      return `flagsvc cannot listen on ${host}, port ${port}: ${error.message}`;
  }
}

function addressOf(app: FastifyInstance, { host }: Config): string {
  return urlOf(host, (app.server.address() as AddressInfo).port);
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}

function refuse(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

/**
 * One server of the benchmark, as a child process: `flagsvc` is the whole reference server over a filled database,
 * with its rate limiter, authentication, metrics and log; `bare` is a plain Fastify app whose routes send constants.
 */

import { createWriteStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Constants } from './server-cases.ts';

/** A message from the parent process. `constants` are for `bare`, `flags` and `databaseUrl` for `flagsvc`. */
export type BenchRequest =
  | {
      readonly kind: 'start';
      readonly constants?: Constants;
      readonly flags?: number;
      readonly databaseUrl?: string;
    }
  | { readonly kind: 'usage'; readonly collect?: boolean };

/** The reply to a `BenchRequest`. */
export type BenchReply =
  | { readonly kind: 'started'; readonly port: number; readonly apiKey: string }
  | { readonly kind: 'usage'; readonly cpuMicros: number; readonly rssBytes: number };

// Exits when the process that measures this server exits.
process.on('disconnect', () => process.exit());

const reply = (message: BenchReply): void => void process.send?.(message);

process.on('message', async (request: BenchRequest) => {
  if (request.kind === 'usage') {
    if (request.collect === true) globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    reply({ kind: 'usage', cpuMicros: user + system, rssBytes: process.memoryUsage.rss() });
    return;
  }
  const { app, apiKey } =
    process.argv[2] === 'bare' ? await bare(request.constants!) : await flagsvc(request);
  await app.listen({ host: '127.0.0.1', port: 0 });
  reply({ kind: 'started', port: (app.server.address() as AddressInfo).port, apiKey });
});

async function flagsvc({
  flags = 1_000,
  databaseUrl = 'sqlite::memory:',
}: {
  readonly flags?: number;
  readonly databaseUrl?: string;
}): Promise<{ app: FastifyInstance; apiKey: string }> {
  // Imported here so that the bare server does not load them.
  const [
    { pino },
    { createPrometheusMetrics },
    { createRateLimiter },
    { buildServer },
    { openDatabase },
    { fillDatabase },
  ] = await Promise.all([
    import('pino'),
    import('../src/telemetry/metrics/prometheus-registry.ts'),
    import('../src/http/rate-limit.ts'),
    import('../src/app/build-server.ts'),
    import('../src/storage/open-database.ts'),
    import('./fill-database.ts'),
  ]);
  const apiSecretKey = 'a'.repeat(32);
  const db = await openDatabase(databaseUrl);
  const app = await buildServer({
    db,
    jwtSecretKey: 'j'.repeat(32),
    apiSecretKey,
    version: '0.0.0',
    shedsLoad: true,
    // FLAGSVC_BENCH_METRICS=off shows what counting costs.
    createMetrics: process.env['FLAGSVC_BENCH_METRICS'] === 'off' ? undefined : createPrometheusMetrics,
    fastPath: true,
    // The limiter counts as in production; only its limits are too high to refuse anything.
    limiter: createRateLimiter({
      limits: { ruleset: 1e9, evaluation: 1e9, events: 1e9, stream: 1e9, management: 1e9 },
    }),
    streams: { maxPerKey: 1e6, maxPerEnvironment: 1e6 },
    logger: pino({ level: 'info' }, createWriteStream('/dev/null')),
  });
  const apiKey = await fillDatabase(db, { apiSecretKey, flags });
  await app.ready();
  return { app, apiKey };
}

/** Fastify at its fastest: no hooks, no schemas, no log, prepared response bodies. */
async function bare(constants: Constants): Promise<{ app: FastifyInstance; apiKey: string }> {
  const { default: fastify } = await import('fastify');
  const app = fastify();
  const json = 'application/json; charset=utf-8';
  const [ruleset, all] = [Buffer.from(constants.ruleset), Buffer.from(constants.all)];
  app.get('/not-modified', (_request, reply) => void reply.code(304).send());
  app.get('/ruleset', (_request, reply) => void reply.header('content-type', json).send(ruleset));
  app.post('/one', (_request, reply) => void reply.header('content-type', json).send(constants.one));
  app.post('/all', (_request, reply) => void reply.header('content-type', json).send(all));
  return { app, apiKey: 'none' };
}

import cors, { type OriginFunction } from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { nameMethods } from './error-handler.ts';

/** How many refused origins are logged, because anybody can send any origin. */
const REFUSALS_LOGGED_MAX = 20;
/** The longest host name has 253 characters. */
const ORIGIN_LENGTH_MAX = 270;

/**
 * Lets pages of these origins read answers. `*` allows all origins, and `*` as a port allows all ports of that host.
 * With an empty list, answers have no CORS headers. Logs each refused origin once.
 */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  const isAllowed = createMatcher(origins);
  if (!origins.includes('*')) logRefusals(app, isAllowed);
  if (origins.length === 0) return;
  // The CORS plugin answers preflights before the router would add `Allow`.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') nameMethods(request, reply);
    done();
  });
  await app.register(cors, corsOptions(origins.includes('*') ? '*' : isAllowed));
}

function corsOptions(allowed: '*' | ((origin: string) => boolean)) {
  const answer: OriginFunction = (origin, done) =>
    done(null, allowed === '*' || (origin !== undefined && allowed(origin)));
  return {
    origin: allowed === '*' ? allowed : answer,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // A strict preflight check would answer incomplete preflights with plain text.
    strictPreflight: false,
    exposedHeaders: [
      'ETag',
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'X-Request-Id',
      'X-FlagSvc-Ignored-Fields',
      'X-FlagSvc-Ignored-Parameters',
      'X-FlagSvc-Signature',
      'Idempotency-Replayed',
      'X-FlagSvc-Warnings',
    ],
    // Two hours, the maximum in browsers.
    maxAge: 7_200,
  };
}

/** Whether a list contains the origin, or its host with `*` as port. */
function createMatcher(origins: readonly string[]): (origin: string) => boolean {
  const exact = new Set(origins);
  const hosts = origins.filter((origin) => origin.endsWith(':*')).map((origin) => origin.slice(0, -2));
  return (origin) =>
    exact.has(origin) ||
    hosts.some((host) => origin.startsWith(host) && /^(:[0-9]{1,5})?$/.test(origin.slice(host.length)));
}

/** A browser says only that CORS failed, so the log says what to do. */
function logRefusals(app: FastifyInstance, isAllowed: (origin: string) => boolean): void {
  const logged = new Set<string>();
  app.addHook('onRequest', (request, _reply, done) => {
    const { origin } = request.headers;
    if (request.method !== 'OPTIONS' || origin === undefined) return done();
    const isPreflight = request.headers['access-control-request-method'] !== undefined;
    const isKnown = logged.has(origin) || logged.size > REFUSALS_LOGGED_MAX;
    if (!isPreflight || isKnown || !isOrigin(origin) || isAllowed(origin)) return done();
    logged.add(origin);
    request.log.warn({ origin }, logged.size > REFUSALS_LOGGED_MAX ? LIMIT_REACHED : refusalOf(origin));
    done();
  });
}

function isOrigin(text: string): boolean {
  if (text === 'null') return true;
  return text.length <= ORIGIN_LENGTH_MAX && URL.canParse(text) && new URL(text).origin === text;
}

function refusalOf(origin: string): string {
  return origin === 'null'
    ? 'A page without an origin, such as a local file, cannot call this server. Serve it over HTTP, and add its origin to FLAGSVC_CORS_ORIGINS.'
    : `Pages of ${origin} cannot call this server. To allow them, add this origin to FLAGSVC_CORS_ORIGINS and restart.`;
}

const LIMIT_REACHED = `Pages of more than ${REFUSALS_LOGGED_MAX} origins were refused; no further ones are logged.`;

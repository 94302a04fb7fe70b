import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { nameMethods } from './error-handler.ts';

/**
 * Lets pages of these origins read answers; `*` allows all origins. With an empty list, answers have no CORS headers.
 */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  // The CORS plugin answers preflights before the router would add `Allow`.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') nameMethods(request, reply);
    done();
  });
  await app.register(cors, corsOptions(origins));
}

function corsOptions(origins: readonly string[]) {
  return {
    origin: origins.includes('*') ? '*' : [...origins],
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

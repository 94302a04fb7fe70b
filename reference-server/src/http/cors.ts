import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { nameMethods } from './error-handler.ts';

/** Lets pages of these origins read answers, `*` of all; with none there are no CORS headers. */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  // Preflights are answered before anything else asks what the path takes.
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
    // Strictness would refuse half a preflight in plain text.
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
    // Two hours, the longest that browsers remember.
    maxAge: 7_200,
  };
}

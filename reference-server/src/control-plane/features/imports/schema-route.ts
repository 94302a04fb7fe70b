import type { FastifyInstance } from 'fastify';
import { DOCUMENT_SCHEMA } from './document.ts';

/** Serves the JSON Schema of exported projects at `/schemas/flagsvc-v1.json`, for editors and linters. */
export function registerSchemas(app: FastifyInstance): void {
  app.get(
    '/schemas/flagsvc-v1.json',
    { schema: { hide: true }, config: { access: 'public' } },
    async (_request, reply) => reply.type('application/schema+json').send(DOCUMENT_SCHEMA),
  );
}

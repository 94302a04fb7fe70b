import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';

const Health = Type.Object({
  status: Type.Enum(['ok', 'failing']),
  version: Type.String(),
  mode: Type.Enum(['oss', 'saas', 'enterprise']),
  checks: Type.Object({ database: Type.Enum(['ok', 'failing']) }),
});

const Liveness = Type.Object({ status: Type.Literal('ok') });
const Readiness = Type.Object({ status: Type.Enum(['ok', 'failing']) });

const hostRoute = (operationId: string, summary: string, response: object): object => ({
  config: { access: 'public' },
  schema: { operationId, tags: ['Health'], summary, security: [], response },
});

/**
 * `GET /health` and its two halves, at the host root and not enveloped: `/health/live` while the process answers at
 * all, `/health/ready` while it can do its work. 503 when the database does not answer.
 */
export function registerHealth(
  app: FastifyInstance,
  of: Pick<Static<typeof Health>, 'version' | 'mode'> & { readonly pingDatabase: () => Promise<unknown> },
): void {
  const { version, mode } = of;
  const look = (): Promise<'ok' | 'failing'> =>
    of.pingDatabase().then(
      () => 'ok' as const,
      () => 'failing' as const,
    );
  const statusOf = (database: 'ok' | 'failing'): 200 | 503 => (database === 'ok' ? 200 : 503);

  const health = hostRoute('getHealth', 'Tell whether the service works', { 200: Health, 503: Health });
  app.get('/health', health, async (_request, reply) => {
    const database = await look();
    const body: Static<typeof Health> = { status: database, version, mode, checks: { database } };
    return reply.code(statusOf(database)).send(body);
  });

  const live = hostRoute('getLiveness', 'Tell whether the process answers', { 200: Liveness });
  app.get('/health/live', live, async () => ({ status: 'ok' }) as const);

  const answers = { 200: Readiness, 503: Readiness };
  const ready = hostRoute('getReadiness', 'Tell whether requests can be answered', answers);
  app.get('/health/ready', ready, async (_request, reply) => {
    const database = await look();
    return reply.code(statusOf(database)).send({ status: database });
  });
}

import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { DEPLOYMENT_MODES } from '../lib/deployment-modes.ts';
import { RETRY_LATER } from './errors.ts';

const Check = Type.Enum(['ok', 'failing']);

const Health = Type.Object({
  status: Type.Enum(['ok', 'failing']),
  version: Type.String(),
  mode: Type.Enum([...DEPLOYMENT_MODES]),
  reason: Type.Optional(
    Type.Enum(['database_unavailable', 'database_corrupt'], {
      description:
        'Why the database is failing. `database_corrupt`: a part of it is damaged; restore a backup. Requests that need that part get 503; other requests still work. Reported until the process restarts.',
    }),
  ),
  checks: Type.Object({
    database: Check,
    ruleset_compiler: Type.Unsafe<Static<typeof Check>>({
      ...Check,
      description:
        '`failing`: the latest change of an environment could not be published; the version before it is still served.',
    }),
  }),
});

const Liveness = Type.Object({ status: Type.Literal('ok') });
const Readiness = Type.Object({ status: Type.Enum(['ok', 'failing']) });

const hostRoute = (
  operationId: string,
  summary: string,
  rest: { description: string; response: object },
) => ({
  config: { access: 'public' as const },
  schema: { operationId, tags: ['Health'], summary, security: [], ...rest },
});

/**
 * `GET /health`, `/health/live` and `/health/ready`, at the host root and without envelope ("Health"). A busy database
 * that answers late is not an outage; one that does not answer is (503).
 */
export function registerHealth(
  app: FastifyInstance,
  of: Pick<Static<typeof Health>, 'version' | 'mode'> & {
    readonly pingDatabase: () => Promise<unknown>;
    /** True after a query met damage in the database. */
    readonly isDamaged: () => boolean;
    /** False while the latest change of some environment could not be published. */
    readonly isPublishing: () => boolean;
  },
): void {
  const { version, mode } = of;
  const look = (): Promise<'ok' | 'failing'> =>
    of.pingDatabase().then(
      () => 'ok' as const,
      () => 'failing' as const,
    );
  const answer = (reply: FastifyReply, database: 'ok' | 'failing', body: object): FastifyReply =>
    database === 'ok' ? reply.send(body) : reply.code(503).headers(RETRY_LATER).send(body);

  const health = hostRoute('getHealth', 'Check the health of the service', {
    description: 'For people and monitoring. 503 when the database does not answer or is damaged.',
    response: { 200: Health, 503: Health },
  });
  app.get('/health', health, async (_request, reply) => {
    const answers = await look();
    const database = of.isDamaged() ? 'failing' : answers;
    const ruleset_compiler = of.isPublishing() ? 'ok' : 'failing';
    // A failing publisher does not fail the whole check: the server still serves the last good ruleset.
    const body: Static<typeof Health> = {
      status: database,
      version,
      mode,
      ...(database === 'failing' && {
        reason: of.isDamaged() ? ('database_corrupt' as const) : ('database_unavailable' as const),
      }),
      checks: { database, ruleset_compiler },
    };
    return answer(reply, database, body);
  });

  const live = hostRoute('getLiveness', 'Check that the process answers', {
    description:
      'For process supervisors, and for load balancers of SDK traffic, which the server answers from memory during a database outage.',
    response: { 200: Liveness },
  });
  app.get('/health/live', live, async () => ({ status: 'ok' }) as const);

  const ready = hostRoute('getReadiness', 'Check that the database answers', {
    description:
      'For load balancers of the management API. 503 when the database does not answer; an outage of the database therefore affects every node at once.',
    response: { 200: Readiness, 503: Readiness },
  });
  app.get('/health/ready', ready, async (_request, reply) => {
    const database = await look();
    return answer(reply, database, { status: database } satisfies Static<typeof Readiness>);
  });
}

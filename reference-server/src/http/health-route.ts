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
        'Why the database is failing. `database_corrupt`: something in it is damaged; restore a backup. Requests that need it are answered 503, others as usual. It stays until the process is started again.',
    }),
  ),
  checks: Type.Object({
    database: Check,
    ruleset_compiler: Type.Unsafe<Static<typeof Check>>({
      ...Check,
      description:
        '`failing`: the last change of an environment could not be published; the version before it is served.',
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
 * `GET /health` and its two halves, at the host root and not enveloped: `/health/live` while the process answers at
 * all, `/health/ready` while the database can be asked. 503 when it does not answer: one that is busy does, later.
 */
export function registerHealth(
  app: FastifyInstance,
  of: Pick<Static<typeof Health>, 'version' | 'mode'> & {
    readonly pingDatabase: () => Promise<unknown>;
    /** Whether damage to the database was come across. */
    readonly isDamaged: () => boolean;
    /** False when a change could not be published. */
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

  const health = hostRoute('getHealth', 'Tell whether the service works', {
    description: 'For people and for monitoring. 503 when the database does not answer or is damaged.',
    response: { 200: Health, 503: Health },
  });
  app.get('/health', health, async (_request, reply) => {
    const answers = await look();
    const database = of.isDamaged() ? 'failing' : answers;
    const ruleset_compiler = of.isPublishing() ? 'ok' : 'failing';
    // A ruleset that cannot be published is no reason to take the server away: it serves the last good one.
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

  const live = hostRoute('getLiveness', 'Tell whether the process answers', {
    description:
      'For whoever restarts processes, and for balancers of what SDKs ask, which is answered from memory while the database is away.',
    response: { 200: Liveness },
  });
  app.get('/health/live', live, async () => ({ status: 'ok' }) as const);

  const ready = hostRoute('getReadiness', 'Tell whether the database can be asked', {
    description:
      'For balancers of the management API. 503 when the database does not answer, and that is all nodes at once when it is away.',
    response: { 200: Readiness, 503: Readiness },
  });
  app.get('/health/ready', ready, async (_request, reply) => {
    const database = await look();
    return answer(reply, database, { status: database } satisfies Static<typeof Readiness>);
  });
}

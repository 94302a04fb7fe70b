import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Id, Timestamp } from '../../../http/schemas.ts';
import type { Database } from '../../../storage/database.ts';
import { actorOf } from '../../access/request-actor.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import { ContextBody } from '../targeting/context-schema.ts';
import { listRecordedContexts as readRecordedContexts } from './context-store.ts';

const listRecordedContexts = route({
  access: 'flag.read',
  operationId: 'listRecordedContexts',
  tag: 'Environments',
  summary: 'List recorded contexts',
  description:
    'Returns the contexts that the environment recorded in the last 24 hours, at most 1,000, last recorded first. User ' +
    'keys and mail addresses are pseudonyms for everyone. The list is empty while `record_contexts` of the environment ' +
    'is off.',
  params: Type.Object({ environment_id: Id }),
  query: Type.Object(pageQuery),
  answer: [
    200,
    Type.Object({
      data: Type.Array(Type.Object({ recorded_at: Timestamp, context: ContextBody })),
      meta: Type.Object({
        page: Type.Integer({ minimum: 1 }),
        per_page: Type.Integer({ minimum: 1, maximum: 200 }),
        total: Type.Integer({ minimum: 0 }),
        is_recording: Type.Boolean({ description: '`record_contexts` of the environment.' }),
      }),
    }),
  ],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

export interface RecordedContextRouteDeps {
  readonly db: Database;
  readonly now: () => number;
  readonly requireEnvironment: RequireEnvironment;
}

/** `GET /environments/{environment_id}/recorded-contexts`. */
export const recordedContextRoutes: FastifyPluginAsyncTypebox<{
  contexts: RecordedContextRouteDeps;
}> = async (app, { contexts: { db, now, requireEnvironment } }) => {
  app.get('/environments/:environment_id/recorded-contexts', listRecordedContexts, async (request) => {
    const { organizationId } = actorOf(request);
    const environmentId = request.params.environment_id;
    await requireEnvironment(db, organizationId, environmentId);
    const found = await readRecordedContexts(db, { organizationId, environmentId, now: now() });
    const { data, meta } = cutPage(found ?? [], request.query);
    return { data: [...data], meta: { ...meta, is_recording: found !== undefined } };
  });
};

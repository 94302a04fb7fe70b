import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Page } from '../../../http/envelope.ts';
import { Id, Timestamp } from '../../../http/schemas.ts';
import type { Database } from '../../../storage/database.ts';
import { actorOf } from '../../access/request-actor.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import { listSeenSdks } from './sdk-store.ts';

const Sdk = Type.Object({
  name: Type.String({ description: 'Such as `sdk-node`, as the SDK reports it.' }),
  version: Type.String(),
  key: Type.Object({
    id: Type.String(),
    name: Type.Union([Type.String(), Type.Null()], { description: 'Null: the key no longer exists.' }),
    prefix: Type.Union([Type.String(), Type.Null()]),
    kind: Type.Union([Type.String(), Type.Null()]),
  }),
  first_seen_at: Timestamp,
  last_seen_at: { ...Timestamp, description: 'At most 30 seconds behind while the SDK reports.' },
  requests: Type.Integer({ minimum: 1, description: 'Batches of events that it sent.' }),
});

const listSdks = route({
  access: 'environment.read',
  operationId: 'listSdks',
  tag: 'Environments',
  summary: 'List the SDKs of an environment',
  description:
    'Returns the SDKs that reported events, with their version and API key, last seen first. An SDK appears with its ' +
    'first batch of events; polls and evaluations do not name an SDK. At most 20 are kept for each key, and 100 for ' +
    'each environment.',
  params: Type.Object({ environment_id: Id }),
  query: Type.Object(pageQuery),
  answer: [200, Page(Sdk)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

export interface SdkRouteDeps {
  readonly db: Database;
  readonly requireEnvironment: RequireEnvironment;
}

/** `GET /environments/{environment_id}/sdks`. */
export const sdkRoutes: FastifyPluginAsyncTypebox<{ sdks: SdkRouteDeps }> = async (
  app,
  { sdks: { db, requireEnvironment } },
) => {
  app.get('/environments/:environment_id/sdks', listSdks, async (request) => {
    const { organizationId } = actorOf(request);
    const environment = await requireEnvironment(db, organizationId, request.params.environment_id);
    const rows = await listSeenSdks(db, organizationId, environment.id);
    const sdks = rows.map(({ key_id, key_name, prefix, kind, ...sdk }) => ({
      ...sdk,
      key: { id: key_id, name: key_name, prefix, kind },
    }));
    return cutPage(sdks, request.query);
  });
};

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Page } from '../../../http/envelope.ts';
import { Id, Timestamp } from '../../../http/schemas.ts';
import { DAY_MS, HOUR_MS } from '../../../lib/durations.ts';
import type { Database } from '../../../storage/database.ts';
import { actorOf } from '../../access/request-actor.ts';
import { cutPage, pageQuery } from '../../endpoint/paging.ts';
import { route } from '../../endpoint/route.ts';
import type { RequireEnvironment } from '../environments/require-environment.ts';
import type { EventStore } from './event-store.ts';

/** A page's key can report invented flag keys, so the list is limited. */
const KEYS_MAX = 200;
const DAYS = 30;

const UnknownFlag = Type.Object({
  flag_key: Type.String({ description: 'The key as SDKs send it; no flag of the project has it.' }),
  count: Type.Integer({ minimum: 0, description: 'Evaluations in the last 30 days.' }),
  first_seen_at: {
    ...Timestamp,
    description: 'Start of the first hour with an evaluation in the last 30 days.',
  },
  last_seen_at: { ...Timestamp, description: 'Start of the last hour with an evaluation.' },
});

const listUnknownFlags = route({
  access: 'environment.read',
  operationId: 'listUnknownFlags',
  tag: 'Environments',
  summary: 'List the flag keys that SDKs ask for and that do not exist',
  description:
    'Returns up to 200 keys for which SDKs reported evaluations in the last 30 days although no flag of the project ' +
    'has them, most used first: a typing error, a flag that was deleted while code still uses it, or one that was ' +
    'never created. Callers got their default value. Archived flags exist and are not listed.',
  params: Type.Object({ environment_id: Id }),
  query: Type.Object(pageQuery),
  answer: [200, Page(UnknownFlag)],
  errors: ['ENVIRONMENT_NOT_FOUND'],
});

export interface UnknownFlagRouteDeps {
  readonly db: Database;
  readonly eventStore: Pick<EventStore, 'listOtherKeys'>;
  readonly now: () => number;
  readonly requireEnvironment: RequireEnvironment;
}

/** `GET /environments/{environment_id}/unknown-flags`. */
export const unknownFlagRoutes: FastifyPluginAsyncTypebox<{ unknownFlags: UnknownFlagRouteDeps }> = async (
  app,
  { unknownFlags: { db, eventStore, now, requireEnvironment } },
) => {
  app.get('/environments/:environment_id/unknown-flags', listUnknownFlags, async (request) => {
    const { organizationId } = actorOf(request);
    const environment = await requireEnvironment(db, organizationId, request.params.environment_id);
    const knownKeys = await listFlagKeys(db, environment.project_id);
    const since = now() - DAYS * DAY_MS;
    const found = await eventStore.listOtherKeys({
      organizationId,
      environmentId: environment.id,
      since: new Date(since - (since % HOUR_MS)).toISOString(),
      knownKeys,
      limit: KEYS_MAX,
    });
    const keys = found.map(({ flag_key, count, first_hour, last_hour }) => ({
      flag_key,
      count,
      first_seen_at: first_hour,
      last_seen_at: last_hour,
    }));
    return cutPage(keys, request.query);
  });
};

async function listFlagKeys(db: Database, projectId: string): Promise<readonly string[]> {
  const rows = await db.selectFrom('flags').select('key').where('project_id', '=', projectId).execute();
  return rows.map(({ key }) => key);
}

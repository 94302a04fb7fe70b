import type { Queryable } from '../../storage/database.ts';
import type { CommittedEvent } from '../outbox/outbox-store.ts';
import type { EventFacts } from './webhook-message.ts';

/** Reads what an event's audit entry only names, as it is now. */
export async function findFacts(db: Queryable, { entry }: CommittedEvent): Promise<EventFacts> {
  const { project_id, environment_id, resource_type, resource_id, project_wide } = entry;
  const project = await db
    .selectFrom('projects')
    .select(['id', 'key'])
    .where('id', '=', project_id ?? '')
    .executeTakeFirst();
  const environment = await db
    .selectFrom('environments')
    .select(['id', 'key', 'type'])
    .where('id', '=', environment_id ?? '')
    .executeTakeFirst();
  return {
    project: project ?? null,
    environment: environment ?? null,
    flag: resource_type === 'flag' ? await findFlag(db, resource_id, environment_id) : null,
    alsoIn: project_wide === 1 ? await listEnvironmentIds(db, project_id) : [],
  };
}

async function listEnvironmentIds(db: Queryable, projectId: string | null): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', projectId ?? '')
    .execute();
  return rows.map(({ id }) => id);
}

async function findFlag(
  db: Queryable,
  id: string,
  environmentId: string | null,
): Promise<EventFacts['flag']> {
  const flag = await db
    .selectFrom('flags')
    .select(['id', 'key', 'revision', 'tags_json'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (flag === undefined) return null;
  const config = await db
    .selectFrom('flag_environments')
    .select(['enabled', 'revision'])
    .where('flag_id', '=', id)
    .where('environment_id', '=', environmentId ?? '')
    .executeTakeFirst();
  return {
    id,
    key: flag.key,
    enabled: config === undefined ? null : config.enabled === 1,
    // A flag shows the sum of its two halves (decision 0031).
    revision: flag.revision + (config?.revision ?? 0),
    tags: JSON.parse(flag.tags_json) as string[],
  };
}

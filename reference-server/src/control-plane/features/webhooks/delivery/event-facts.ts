import type { Queryable } from '../../../../storage/database.ts';
import type { CommittedEvent } from '../../../outbox/outbox-store.ts';
import type { EventFacts } from './message-body.ts';

/** Reads the project and environments of an event; its audit entry contains only their ids. */
export async function findFacts(db: Queryable, { entry }: CommittedEvent): Promise<EventFacts> {
  const { project_id, environment_id, project_wide } = entry;
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

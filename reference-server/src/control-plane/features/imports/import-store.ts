import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ImportTable } from '../../../storage/flag-tables.ts';

export async function insertImport(tx: Tx, row: ImportTable): Promise<void> {
  await tx.insertInto('imports').values(row).execute();
}

/** Finds an import; undefined also when it belongs to another organization. */
export async function findImport(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ImportTable | undefined> {
  return db
    .selectFrom('imports')
    .innerJoin('projects', 'projects.id', 'imports.project_id')
    .selectAll('imports')
    .where('imports.organization_id', '=', organizationId)
    .where('imports.id', '=', id)
    .where('projects.archived_at', 'is', null)
    .executeTakeFirst();
}

export async function finishImport(
  tx: Tx,
  { id, status, error_json, finished_at }: Pick<ImportTable, 'id' | 'status' | 'error_json' | 'finished_at'>,
): Promise<void> {
  await tx.updateTable('imports').set({ status, error_json, finished_at }).where('id', '=', id).execute();
}

/** How long a plan can be applied, and how long the document of an applied import is kept. */
const RETENTION_MS = 30 * DAY_MS;

/**
 * Deletes plans that were not applied within 30 days, and the documents of imports that were applied more than 30 days
 * ago.
 */
export async function purgeImports(db: Queryable, now: number): Promise<void> {
  const before = new Date(now - RETENTION_MS).toISOString();
  await db.deleteFrom('imports').where('status', '!=', 'applied').where('created_at', '<', before).execute();
  await db
    .updateTable('imports')
    .set({ document_json: '{}' })
    .where('finished_at', '<', before)
    .where('document_json', '!=', '{}')
    .execute();
}

/**
 * A hash that differs between any two states of a project. It covers every id with its revision: ids are unique and
 * revisions only grow, whereas counts, sums and latest times can recur.
 */
export async function fingerprint(db: Queryable, projectId: string): Promise<string> {
  const { rows } = await sql<object>`
    select flags.id, flags.revision + coalesce(sum(config.revision), 0) as revision from flags
      left join flag_environments as config on config.flag_id = flags.id
      where flags.project_id = ${projectId} group by flags.id, flags.revision
    union all select id, revision from segments where project_id = ${projectId}
    union all select id, revision from environments where project_id = ${projectId}
    order by id`.execute(db);
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

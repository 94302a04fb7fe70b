import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ImportTable } from '../../../storage/flag-tables.ts';

export async function insertImport(tx: Tx, row: ImportTable): Promise<void> {
  await tx.insertInto('imports').values(row).execute();
}

/** Undefined also for another tenant's import. */
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

/** So long a plan may wait to be applied, and a document be asked about that was. */
const KEPT_MS = 30 * DAY_MS;

/** Drops the documents of imports that were applied long ago, and plans that never were. */
export async function pruneImports(db: Queryable, now: number): Promise<void> {
  const before = new Date(now - KEPT_MS).toISOString();
  await db.deleteFrom('imports').where('status', '!=', 'applied').where('created_at', '<', before).execute();
  await db
    .updateTable('imports')
    .set({ document_json: '{}' })
    .where('finished_at', '<', before)
    .where('document_json', '!=', '{}')
    .execute();
}

/**
 * Differs between any two states of a project. An id is used once and its revisions only go up, while numbers of rows,
 * sums over them and latest times come back when one goes and another comes (decisions/0040).
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

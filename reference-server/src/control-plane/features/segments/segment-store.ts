import type { Queryable, Tx } from '../../../storage/database.ts';
import type { SegmentRow } from '../../../storage/flag-tables.ts';

function segments(db: Queryable, organizationId: string) {
  return db
    .selectFrom('segments')
    .innerJoin('projects', 'projects.id', 'segments.project_id')
    .selectAll('segments')
    .where('segments.organization_id', '=', organizationId)
    .where('projects.archived_at', 'is', null);
}

export async function findSegment(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<SegmentRow | undefined> {
  return segments(db, organizationId).where('segments.id', '=', id).executeTakeFirst();
}

/** The segments of a project, by key. */
export async function listSegments(
  db: Queryable,
  organizationId: string,
  projectId: string,
): Promise<readonly SegmentRow[]> {
  return segments(db, organizationId)
    .where('segments.project_id', '=', projectId)
    .orderBy('segments.key')
    .execute();
}

export async function listSegmentKeys(db: Queryable, projectId: string): Promise<readonly string[]> {
  const rows = await db.selectFrom('segments').select('key').where('project_id', '=', projectId).execute();
  return rows.map((row) => row.key);
}

export async function insertSegment(tx: Tx, row: SegmentRow): Promise<void> {
  await tx.insertInto('segments').values(row).execute();
}

export async function updateSegment(tx: Tx, { id, ...columns }: SegmentRow): Promise<void> {
  await tx.updateTable('segments').set(columns).where('id', '=', id).execute();
}

export async function deleteSegment(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('segments').where('id', '=', id).execute();
}

import { sql } from 'kysely';
import type { CodeSnapshotTable } from '../../../storage/code-reference-tables.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import { numberAt, rowsOf } from '../../../storage/json-rows.ts';

/** One place that names a flag key. */
export interface Place {
  readonly flag_key: string;
  readonly path: string;
  readonly line: number;
  /** 0 when unknown. */
  readonly column: number;
  readonly context_hash: string | null;
}

/** The address of a snapshot: its project, repository and branch. */
export interface SnapshotAddress {
  readonly projectId: string;
  readonly repository: string;
  readonly branch: string;
}

export async function findSnapshot(
  db: Queryable,
  { projectId, repository, branch }: SnapshotAddress,
): Promise<CodeSnapshotTable | undefined> {
  return db
    .selectFrom('code_snapshots')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('repository', '=', repository)
    .where('branch', '=', branch)
    .executeTakeFirst();
}

/** The snapshots of a project, by repository and branch. */
export async function listSnapshots(
  db: Queryable,
  projectId: string,
  range: { readonly limit: number; readonly offset: number },
): Promise<readonly CodeSnapshotTable[]> {
  return db
    .selectFrom('code_snapshots')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('repository')
    .orderBy('branch')
    .limit(range.limit)
    .offset(range.offset)
    .execute();
}

export async function countSnapshots(db: Queryable, projectId: string): Promise<number> {
  const { total } = await db
    .selectFrom('code_snapshots')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return total;
}

/** Every place of a snapshot, in a fixed order. */
export async function listPlaces(db: Queryable, snapshotId: string): Promise<readonly Place[]> {
  return db
    .selectFrom('code_references')
    .select(['flag_key', 'path', 'line', 'column', 'context_hash'])
    .where('snapshot_id', '=', snapshotId)
    .orderBy('flag_key')
    .orderBy('path')
    .orderBy('line')
    .orderBy('column')
    .execute();
}

export async function putSnapshot(tx: Tx, row: CodeSnapshotTable): Promise<void> {
  const { revision, url_template, references_count, flags_count, created_by, updated_at } = row;
  await tx
    .insertInto('code_snapshots')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'repository', 'branch'])
        .doUpdateSet({ revision, url_template, references_count, flags_count, created_by, updated_at }),
    )
    .execute();
}

/** Replaces the places of a snapshot. */
export async function replacePlaces(
  tx: Tx,
  { organization_id, project_id, id }: CodeSnapshotTable,
  places: readonly Place[],
): Promise<void> {
  await tx.deleteFrom('code_references').where('snapshot_id', '=', id).execute();
  await sql`
    insert into code_references
      (organization_id, project_id, snapshot_id, flag_key, path, line, "column", context_hash)
    select ${organization_id}, ${project_id}, ${id}, value ->> 'flag_key', value ->> 'path', ${numberAt('line')},
      ${numberAt('column')}, value ->> 'context_hash'
    from ${rowsOf(places)} as item`.execute(tx);
}

/** Records `at` as the last time at which the snapshot's flag keys were named. Call it before removing the places. */
export async function recordEnds(tx: Tx, snapshotId: string, at: string): Promise<void> {
  await sql`
    insert into code_reference_ends (organization_id, project_id, flag_key, ended_at)
    select distinct organization_id, project_id, flag_key, ${at} from code_references
      where snapshot_id = ${snapshotId}
    on conflict (project_id, flag_key) do update set ended_at = excluded.ended_at`.execute(tx);
}

export async function deleteSnapshot(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('code_snapshots').where('id', '=', id).execute();
}

/** The keys of a snapshot that no flag of the project has, in alphabetical order. */
export async function listUnknownKeys(db: Queryable, snapshotId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('code_references')
    .select('flag_key')
    .distinct()
    .where('snapshot_id', '=', snapshotId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('flags')
            .select('flags.id')
            .whereRef('flags.project_id', '=', 'code_references.project_id')
            .whereRef('flags.key', '=', 'code_references.flag_key'),
        ),
      ),
    )
    .orderBy('flag_key')
    .execute();
  return rows.map((row) => row.flag_key);
}

/** One page of the places that name a flag key, each with its snapshot. */
export async function listFlagReferences(
  db: Queryable,
  of: { readonly projectId: string; readonly flagKey: string },
  range: { readonly limit: number; readonly offset: number },
) {
  const matching = db
    .selectFrom('code_references')
    .innerJoin('code_snapshots', 'code_snapshots.id', 'code_references.snapshot_id')
    .where('code_references.project_id', '=', of.projectId)
    .where('code_references.flag_key', '=', of.flagKey);
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .select(['repository', 'branch', 'revision', 'url_template', 'code_snapshots.updated_at'])
    .select(['path', 'line', 'column', 'context_hash'])
    .orderBy('repository')
    .orderBy('branch')
    .orderBy('path')
    .orderBy('line')
    .orderBy('column')
    .limit(range.limit)
    .offset(range.offset)
    .execute();
  return { rows, total };
}

/** The number of places in all snapshots that name a flag key. */
export async function countCodeReferences(
  db: Queryable,
  projectId: string,
  flagKey: string,
): Promise<number> {
  const { total } = await db
    .selectFrom('code_references')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('project_id', '=', projectId)
    .where('flag_key', '=', flagKey)
    .executeTakeFirstOrThrow();
  return total;
}

/** When code last named each flag key, in milliseconds since 1970; infinite if it still does. */
export async function lastCodeReferences(
  db: Queryable,
  projectId: string,
): Promise<ReadonlyMap<string, number>> {
  const ends = await db
    .selectFrom('code_reference_ends')
    .select(['flag_key', 'ended_at'])
    .where('project_id', '=', projectId)
    .execute();
  const named = await db
    .selectFrom('code_references')
    .select('flag_key')
    .distinct()
    .where('project_id', '=', projectId)
    .execute();
  return new Map([
    ...ends.map((row) => [row.flag_key, Date.parse(row.ended_at)] as const),
    ...named.map((row) => [row.flag_key, Number.POSITIVE_INFINITY] as const),
  ]);
}

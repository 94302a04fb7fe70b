import { sql } from 'kysely';
import type { Queryable } from './database.ts';

/** What of a flag a ruleset is made from, by table. A change of anything else is none of a ruleset. */
export const FLAG_COLUMNS = [
  'key',
  'flag_type',
  'status',
  'client_side',
  'track_exposures',
  'variations_json',
] as const;
export const FLAG_ENVIRONMENT_COLUMNS = [
  'enabled',
  'default_variation',
  'rules_json',
  'prerequisites_json',
] as const;

/**
 * Has the connection note which flags and segments were written, so that a ruleset can be made anew from what has
 * changed. The notes are temporary triggers and a temporary table: they belong to the connection, lie in memory, are
 * taken back with a transaction, and no way of writing can forget them. Each row has one note, its last.
 */
export async function noteRowChanges(db: Queryable): Promise<void> {
  const statements = [
    'pragma temp_store = memory',
    `create temp table row_changes (seq integer primary key autoincrement, kind text not null, id text not null,
      unique (kind, id) on conflict replace)`,
    ...noteChanges('flag', 'flags', 'id', FLAG_COLUMNS),
    ...noteChanges('flag', 'flag_environments', 'flag_id', FLAG_ENVIRONMENT_COLUMNS),
    ...noteChanges('segment', 'segments', 'id', []),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

function noteChanges(kind: string, table: string, id: string, columns: readonly string[]): string[] {
  const note = (row: 'new' | 'old'): string =>
    `begin insert into row_changes (kind, id) values ('${kind}', ${row}.${id}); end`;
  const update = columns.length > 0 ? `update of ${columns.join(', ')}` : 'update';
  return [
    `create temp trigger note_${table}_inserted after insert on main.${table} ${note('new')}`,
    `create temp trigger note_${table}_updated after ${update} on main.${table} ${note('new')}`,
    `create temp trigger note_${table}_deleted after delete on main.${table} ${note('old')}`,
  ];
}

/** Where the notes end. */
export interface ChangePosition {
  readonly seq: number;
  /** Changes with every commit of another connection, of which there is no note (SQLite's `data_version`). */
  readonly dataVersion: number;
}

export async function readPosition(db: Queryable): Promise<ChangePosition> {
  const { rows } = await sql<ChangePosition>`
    select coalesce(max(seq), 0) as seq, (select data_version from pragma_data_version) as "dataVersion"
    from temp.row_changes`.execute(db);
  return rows[0]!;
}

/** The ids of what was written after the position. */
export async function changedIds(
  db: Queryable,
  { seq }: ChangePosition,
): Promise<{ readonly flags: readonly string[]; readonly segments: readonly string[] }> {
  const { rows } = await sql<{ kind: string; id: string }>`
    select kind, id from temp.row_changes where seq > ${seq}`.execute(db);
  const idsOf = (kind: string): string[] => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { flags: idsOf('flag'), segments: idsOf('segment') };
}

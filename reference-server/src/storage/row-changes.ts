import { sql } from 'kysely';
import type { Queryable } from './database.ts';
import { either } from './dialect.ts';

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
 * Has SQLite's connection note which flags and segments were written, so that a ruleset can be made anew from what has
 * changed. The notes are temporary triggers and a temporary table: they belong to the connection, lie in memory, are
 * taken back with a transaction, and no way of writing can forget them. Each row has one note, its last.
 * PostgreSQL's notes are a table of its schema, since whichever connection may have written.
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
  /** Of PostgreSQL: which transactions had come to their end. */
  readonly snapshot?: string;
  /** On PostgreSQL the transaction before which all had come to their end. */
  readonly seq: number;
  /**
   * Changes with what there is no note of: with every commit of another connection on SQLite (`data_version`); on
   * PostgreSQL with another server, which may lack what this one had, and with another table of notes, where a backup
   * was restored.
   */
  readonly dataVersion: number | string;
}

/** Of the server that answers: one that has taken another's place, or was started again, has its own. */
const SERVER = sql`pg_postmaster_start_time()::text`;

const POSITION = either({
  sqlite: sql`select coalesce(max(seq), 0) as seq, (select data_version from pragma_data_version) as "dataVersion"
    from temp.row_changes`,
  postgres: sql`select pg_snapshot_xmin(now)::text::bigint as seq, now::text as snapshot,
    'row_changes'::regclass::oid || ' ' || ${SERVER} as "dataVersion" from pg_current_snapshot() as now`,
});

export async function readPosition(db: Queryable): Promise<ChangePosition> {
  const { rows } = await sql<ChangePosition>`
    ${POSITION}`.execute(db);
  return rows[0]!;
}

/** The ids of what was written after the position. */
export async function changedIds(
  db: Queryable,
  { seq, snapshot }: ChangePosition,
): Promise<{ readonly flags: readonly string[]; readonly segments: readonly string[] }> {
  const { rows } = await sql<{ kind: string; id: string }>`
    select kind, id from ${either({
      sqlite: sql`temp.row_changes where seq > ${seq}`,
      postgres: sql`row_changes where written_by >= ${seq}
        and not pg_visible_in_snapshot(written_by::text::xid8, ${snapshot}::pg_snapshot)`,
    })}`.execute(db);
  const idsOf = (kind: string): string[] => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { flags: idsOf('flag'), segments: idsOf('segment') };
}

/** What has been committed to the database, as seen from here. */
export interface CommitsSeen {
  /** Differs when another process has committed something since, and maybe when none has. */
  readonly commits: unknown;
  /** Differs when what was read before may never have been committed to what answers now. */
  readonly history: string;
}

export async function readCommits(db: Queryable): Promise<CommitsSeen> {
  const { rows } = await sql<CommitsSeen>`${either({
    sqlite: sql`select data_version as commits, '' as history from pragma_data_version`,
    postgres: sql`select pg_current_snapshot()::text as commits, ${SERVER} as history`,
  })}`.execute(db);
  return rows[0]!;
}

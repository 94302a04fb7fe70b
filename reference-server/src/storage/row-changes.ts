import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from './database.ts';
import { perEngine } from './sql-dialect.ts';

/** The columns of a flag from which a ruleset is compiled. A change to any other column does not change rulesets. */
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
 * Makes SQLite's connection record which flags and segments were written, so that only what changed is compiled again.
 * Temporary triggers write to a temporary table, which lives in memory as long as the connection. No statement can
 * bypass the triggers, and records roll back with their transaction. Only the latest record of each row is kept.
 * PostgreSQL has many connections, so it records changes in a table of its schema instead.
 */
export async function recordRowChanges(db: Queryable): Promise<void> {
  const statements = [
    'pragma temp_store = memory',
    `create temp table row_changes (seq integer primary key autoincrement, kind text not null, id text not null,
      unique (kind, id) on conflict replace)`,
    ...triggersFor({ kind: 'flag', table: 'flags', id: 'id', columns: FLAG_COLUMNS }),
    ...triggersFor({
      kind: 'flag',
      table: 'flag_environments',
      id: 'flag_id',
      columns: FLAG_ENVIRONMENT_COLUMNS,
    }),
    ...triggersFor({ kind: 'segment', table: 'segments', id: 'id', columns: [] }),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/**
 * A table whose writes are recorded. `id` names the column with the recorded id. Only updates of `columns` are recorded
 * or, if the list is empty, all updates.
 */
interface RecordedTable {
  readonly kind: 'flag' | 'segment';
  readonly table: string;
  readonly id: string;
  readonly columns: readonly string[];
}

function triggersFor({ kind, table, id, columns }: RecordedTable): string[] {
  const record = (row: 'new' | 'old'): string =>
    `begin insert into row_changes (kind, id) values ('${kind}', ${row}.${id}); end`;
  const update = columns.length > 0 ? `update of ${columns.join(', ')}` : 'update';
  return [
    `create temp trigger record_${table}_inserted after insert on main.${table} ${record('new')}`,
    `create temp trigger record_${table}_updated after ${update} on main.${table} ${record('new')}`,
    `create temp trigger record_${table}_deleted after delete on main.${table} ${record('old')}`,
  ];
}

/** How far the records have been read. */
export interface ChangePosition {
  /** PostgreSQL only: the snapshot, which says which transactions had ended. */
  readonly snapshot?: string;
  /** SQLite: the last record. PostgreSQL: the oldest transaction that had not ended. */
  readonly seq: number;
  /**
   * Differs after changes that no record shows. On SQLite: a commit of another connection (`data_version`). On
   * PostgreSQL: a restart or failover of the database server, after which commits may be missing, or a restored backup,
   * which has another table of records.
   */
  readonly dataVersion: number | string;
}

/** Identifies the running database server: differs after a failover or a restart. */
const SERVER_START = sql`pg_postmaster_start_time()::text`;

const POSITION = perEngine({
  sqlite: sql`select coalesce(max(seq), 0) as seq, (select data_version from pragma_data_version) as "dataVersion"
    from temp.row_changes`,
  postgres: sql`select pg_snapshot_xmin(now)::text::bigint as seq, now::text as snapshot,
    'row_changes'::regclass::oid || ' ' || ${SERVER_START} as "dataVersion" from pg_current_snapshot() as now`,
});

export async function readPosition(db: Queryable): Promise<ChangePosition> {
  const { rows } = await sql<ChangePosition>`
    ${POSITION}`.execute(db);
  return rows[0]!;
}

/** The ids of the flags and segments written after the position. */
export async function changedIds(
  db: Queryable,
  { seq, snapshot }: ChangePosition,
): Promise<{ readonly flags: readonly string[]; readonly segments: readonly string[] }> {
  const { rows } = await sql<{ kind: string; id: string }>`
    select kind, id from ${perEngine({
      sqlite: sql`temp.row_changes where seq > ${seq}`,
      postgres: sql`row_changes where written_by >= ${seq}
        and not pg_visible_in_snapshot(written_by::text::xid8, ${snapshot}::pg_snapshot)`,
    })}`.execute(db);
  const idsOf = (kind: string): string[] => rows.filter((row) => row.kind === kind).map(({ id }) => id);
  return { flags: idsOf('flag'), segments: idsOf('segment') };
}

/** The commits of the database that this process can see. */
export interface CommitsSeen {
  /** SQLite: `data_version`. PostgreSQL: the snapshot, which says which transactions had ended. */
  readonly commits: string;
  /**
   * Differs after a restart or failover of PostgreSQL: the database server that answers now may lack commits that were
   * read before. Always empty on SQLite.
   */
  readonly history: string;
}

/** PostgreSQL keeps its record of a commit for at least this many transactions. */
const WATCHED_TRANSACTIONS = sql.lit(100_000);

/**
 * Reads the visible commits. `isNew` is true if another process has committed a ruleset, a key or an audit entry since
 * `before`; it may also be true otherwise. Without `before`, it is true.
 */
export async function readCommits(
  db: Queryable,
  before?: CommitsSeen,
): Promise<CommitsSeen & { readonly isNew: boolean }> {
  const { rows } = await sql<CommitsSeen & { readonly differs: boolean | number }>`${perEngine({
    sqlite: sql`select cast(data_version as text) as commits, '' as history,
        cast(data_version as text) <> ${before?.commits ?? ''} as differs
      from pragma_data_version`,
    postgres: sql`select now::text as commits, ${SERVER_START} as history,
        ${before === undefined ? sql.lit(true) : hasWatchedCommits(before)} as differs
      from pg_current_snapshot() as now`,
  })}`.execute(db);
  const { commits, history, differs } = rows[0]!;
  return { commits, history, isNew: Boolean(differs) || history !== before?.history };
}

/** A recorded transaction from before a dump was restored is in the future, and visible in neither snapshot. */
function hasWatchedCommits({ commits }: CommitsSeen): RawBuilder<boolean> {
  const before = sql`${commits}::pg_snapshot`;
  const oldest = sql`pg_snapshot_xmin(${before})::text::bigint`;
  return sql`pg_snapshot_xmin(now)::text::bigint - ${oldest} > ${WATCHED_TRANSACTIONS} or exists (
    select from watched_commits where written_by >= ${oldest}
      and not pg_visible_in_snapshot(written_by::text::xid8, ${before})
      and pg_visible_in_snapshot(written_by::text::xid8, now))`;
}

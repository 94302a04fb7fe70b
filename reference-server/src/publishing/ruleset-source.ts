import type { Database, Queryable } from '../storage/database.ts';
import { postgresOf } from '../storage/engine.ts';
import { newEpoch } from '../storage/ids.ts';
import { changedIds, FLAG_COLUMNS, FLAG_ENVIRONMENT_COLUMNS, readPosition } from '../storage/row-changes.ts';
import { readConsistently } from '../storage/transactions.ts';
import type { FlagRow, SegmentRow } from './compile.ts';
import type { ReadingMark, RulesetReading, RulesetSource } from './ports.ts';

/** Rows per query; other statements run between two queries. */
const STRIDE = 500;

/** The rows of an environment by id; null for a deleted row. */
interface Rows {
  readonly environmentId: string;
  readonly flags: Map<string, FlagRow | null>;
  readonly segments: Map<string, SegmentRow | null>;
}

/**
 * Reads the rows from which rulesets are compiled, exactly as they are at the version that it returns. PostgreSQL reads
 * them in one snapshot. On SQLite, a long transaction would block the only connection, so rows are read in strides.
 * Rows that changed meanwhile are read again, until the remaining ones fit into the short transaction that reads the
 * version.
 */
export function createRulesetSource(db: Database): RulesetSource {
  const isPostgres = postgresOf(db) !== undefined;
  return {
    async read(environmentId, since) {
      const rows: Rows = { environmentId, flags: new Map(), segments: new Map() };
      if (isPostgres) return readConsistently(db, (tx) => readAtOnce(tx, rows, since));
      let from = since;
      for (;;) {
        from ??= await readAll(db, rows);
        const start = from;
        const end = await readConsistently(db, (tx) => readEnd(tx, rows, start));
        if (end === undefined) return undefined;
        const { version, mark, rest } = end;
        // If another process has written, or a backup was restored, there is no record of what changed. Then everything
        // is read again.
        const isKnown = isSameCount(from, mark);
        const isWhole = !isSameCount(since, mark);
        if (isKnown && rest.length === 0) return { version, mark, isWhole, ...rows };
        if (isKnown) await readFlags(db, rows, rest);
        from = isKnown ? mark : undefined;
      }
    },
    async renewEpoch(environmentId, epoch) {
      await db
        .updateTable('rulesets')
        .set({ epoch: newEpoch() })
        .where('environment_id', '=', environmentId)
        // Another process may have renewed it already.
        .where('epoch', '=', epoch)
        .execute();
    },
    async recordEtag(environmentId, version, etag) {
      await db
        .updateTable('rulesets')
        .set({ etag })
        .where('environment_id', '=', environmentId)
        .where('version', '=', version)
        .where((where) => where.or([where('etag', 'is', null), where('etag', '!=', etag)]))
        .execute();
    },
  };
}

/** Whether the records of changes are complete between the two marks. */
function isSameCount(one: ReadingMark | undefined, other: ReadingMark): boolean {
  return one?.epoch === other.epoch && one.dataVersion === other.dataVersion;
}

/** Reads all rows, or those that changed since the mark, within one snapshot. */
async function readAtOnce(
  tx: Queryable,
  rows: Rows,
  since: ReadingMark | undefined,
): Promise<RulesetReading | undefined> {
  const from = since ?? (await readAll(tx, rows));
  const end = await readEnd(tx, rows, from);
  if (end === undefined) return undefined;
  const { version, mark, rest } = end;
  // After a failover, the database server that answers numbers its transactions differently, and may lack some that
  // were read before.
  const isWhole = since === undefined || !isSameCount(since, mark);
  if (!isWhole) await readFlags(tx, rows, rest);
  else if (since !== undefined) await readAll(tx, rows);
  return { version, mark, isWhole, ...rows };
}

/**
 * Reads everything in strides. Returns the mark at which it started: rows that changed after that mark must be read
 * again.
 */
async function readAll(db: Queryable, rows: Rows): Promise<ReadingMark> {
  rows.flags.clear();
  rows.segments.clear();
  const identity = await findIdentity(db, rows.environmentId);
  const mark = { epoch: identity?.epoch ?? '', ...(await readPosition(db)) };
  for (let last = ''; ; ) {
    const page = await selectFlags(db, rows.environmentId)
      .where('flag_environments.flag_id', '>', last)
      .orderBy('flag_environments.flag_id')
      .limit(STRIDE)
      .execute();
    for (const { id, ...row } of page) rows.flags.set(id, row);
    if (page.length < STRIDE) break;
    last = page.at(-1)!.id;
  }
  const segments = await selectSegments(db, identity?.project_id ?? '').execute();
  for (const segment of segments) rows.segments.set(segment.id, segment);
  return mark;
}

/**
 * Reads the version and the rows that changed after the mark in one transaction; `rest` contains the ids of the changed
 * flags if they are too many for one transaction.
 */
async function readEnd(tx: Queryable, rows: Rows, from: ReadingMark) {
  const identity = await findIdentity(tx, rows.environmentId);
  if (identity === undefined) return undefined;
  const { epoch, version, project_id } = identity;
  const mark: ReadingMark = { epoch, ...(await readPosition(tx)) };
  const { flags, segments } = await changedIds(tx, from);
  const rest = flags.length > STRIDE ? flags : [];
  if (rest.length === 0) await readFlags(tx, rows, flags);
  if (segments.length > 0) {
    const found = await selectSegments(tx, project_id).where('id', 'in', segments).execute();
    for (const id of segments) rows.segments.set(id, null);
    for (const segment of found) rows.segments.set(segment.id, segment);
  }
  return { version, mark, rest };
}

async function readFlags(
  db: Queryable,
  { environmentId, flags }: Rows,
  ids: readonly string[],
): Promise<void> {
  for (let at = 0; at < ids.length; at += STRIDE) {
    const some = ids.slice(at, at + STRIDE);
    const found = await selectFlags(db, environmentId)
      .where('flag_environments.flag_id', 'in', some)
      .execute();
    for (const id of some) flags.set(id, null);
    for (const { id, ...row } of found) flags.set(id, row);
  }
}

function findIdentity(db: Queryable, environmentId: string) {
  return db
    .selectFrom('rulesets')
    .innerJoin('environments', 'environments.id', 'rulesets.environment_id')
    .select(['rulesets.epoch', 'rulesets.version', 'environments.project_id'])
    .where('rulesets.environment_id', '=', environmentId)
    .executeTakeFirst();
}

function selectFlags(db: Queryable, environmentId: string) {
  return db
    .selectFrom('flag_environments')
    .innerJoin('flags', 'flags.id', 'flag_environments.flag_id')
    .select('flags.id')
    .select(FLAG_COLUMNS.map((column) => `flags.${column}` as const))
    .select(FLAG_ENVIRONMENT_COLUMNS.map((column) => `flag_environments.${column}` as const))
    .where('flag_environments.environment_id', '=', environmentId)
    .where('flags.status', '!=', 'draft');
}

function selectSegments(db: Queryable, projectId: string) {
  return db
    .selectFrom('segments')
    .select(['id', 'key', 'conditions_json', 'included_json', 'excluded_json'])
    .where('project_id', '=', projectId);
}

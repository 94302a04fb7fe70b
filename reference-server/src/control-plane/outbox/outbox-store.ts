import type { Database, Queryable, Tx } from '../../storage/database.ts';
import type { AuditEntryTable, OutboxTable } from '../../storage/tables.ts';

/** A row of the outbox. */
export type OutboxRow = { readonly seq: number } & Omit<OutboxTable, 'seq'>;

/** A flag's state after one change, for webhook messages. */
export interface FlagAfter {
  /** Null when the change belongs to no single environment. */
  readonly enabled: boolean | null;
  readonly revision: number;
  readonly tags: readonly string[];
}

/** An outbox row with its audit entry. */
export interface CommittedEvent {
  readonly topic: string;
  readonly entry: AuditEntryTable;
  /** New ruleset versions by environment id. */
  readonly versions: Readonly<Record<string, number>>;
  readonly flagKeys: readonly string[];
  /** Null when the change is not about a flag. */
  readonly flag: FlagAfter | null;
}

/** Stores one message in the transaction of its change. */
export async function insertOutboxRow(
  tx: Tx,
  row: {
    readonly organizationId: string;
    readonly topic: string;
    readonly payload: object;
    readonly at: string;
  },
): Promise<void> {
  await tx
    .insertInto('outbox')
    .values({
      organization_id: row.organizationId,
      topic: row.topic,
      payload_json: JSON.stringify(row.payload),
      created_at: row.at,
      delivered_at: null,
    })
    .execute();
}

/** Undelivered rows, oldest first. */
export async function findUndelivered(db: Queryable, limit: number): Promise<readonly OutboxRow[]> {
  return db
    .selectFrom('outbox')
    .selectAll()
    .where('delivered_at', 'is', null)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** The events of the rows, in the order of the rows; skips rows whose audit entry no longer exists. */
export async function findEvents(
  db: Queryable,
  rows: readonly OutboxRow[],
): Promise<readonly CommittedEvent[]> {
  if (rows.length === 0) return [];
  const payloads = rows.map(({ topic, payload_json }) => ({
    topic,
    ...(JSON.parse(payload_json) as {
      audit_id: string;
      versions: Record<string, number>;
      flag_keys: string[];
      flag?: FlagAfter;
    }),
  }));
  const entries = await db
    .selectFrom('audit_entries')
    .selectAll()
    .where(
      'id',
      'in',
      payloads.map(({ audit_id }) => audit_id),
    )
    .execute();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return payloads.flatMap(({ topic, audit_id, versions, flag_keys: flagKeys, flag = null }) => {
    const entry = byId.get(audit_id);
    return entry === undefined ? [] : [{ topic, entry, versions, flagKeys, flag }];
  });
}

/** Marks exactly these rows, because on PostgreSQL, rows with a lower `seq` can still be committed later. */
export async function markDelivered(tx: Tx, rows: readonly OutboxRow[], at: string): Promise<void> {
  await tx
    .updateTable('outbox')
    .set({ delivered_at: at })
    .where(
      'seq',
      'in',
      rows.map((row) => row.seq),
    )
    .execute();
}

/** Deletes the rows that were delivered before `before`, ISO 8601. */
export async function deleteDeliveredBefore(db: Database, before: string): Promise<void> {
  await db.deleteFrom('outbox').where('delivered_at', '<', before).execute();
}

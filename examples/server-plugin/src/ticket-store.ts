import type { Database, PluginMigration, Tx } from '@flagsvc/reference-server/plugin';

export interface TicketRow {
  id: string;
  organization_id: string;
  ticket: string;
  action: string;
  resource_id: string;
  /** The only actor without an id is the system, which needs no ticket. */
  actor_id: string | null;
  used_at: string;
  /** Null until the ticket has been reported to the ticket system. */
  reported_at: string | null;
}

type TicketTables = { change_tickets: TicketRow };

export const migrations: readonly PluginMigration[] = [
  {
    name: '0001-tickets',
    up: [
      `create table change_tickets (
        id text primary key, organization_id text not null, ticket text not null, action text not null,
        resource_id text not null, actor_id text, used_at text not null, reported_at text
      ) strict, without rowid`,
      'create index change_tickets_by_time on change_tickets (organization_id, used_at)',
    ],
  },
];

const RETENTION_MS = 400 * 24 * 60 * 60 * 1000;

export async function insertTicket(tx: Tx, row: TicketRow): Promise<void> {
  await tx.withTables<TicketTables>().insertInto('change_tickets').values(row).execute();
}

/** One page of an organization's tickets, newest first, and how many there are. */
export async function listTickets(
  db: Database,
  organizationId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly rows: readonly TicketRow[]; readonly total: number }> {
  const all = db
    .withTables<TicketTables>()
    .selectFrom('change_tickets')
    .where('organization_id', '=', organizationId);
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await all
    .selectAll()
    .orderBy('used_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total };
}

/** Unreported tickets of all organizations, oldest first. */
export async function listUnreported(db: Database, limit: number): Promise<readonly TicketRow[]> {
  return db
    .withTables<TicketTables>()
    .selectFrom('change_tickets')
    .selectAll()
    .where('reported_at', 'is', null)
    .orderBy('used_at')
    .limit(limit)
    .execute();
}

export async function markReported(db: Database, id: string, at: string): Promise<void> {
  await db
    .withTables<TicketTables>()
    .updateTable('change_tickets')
    .set({ reported_at: at })
    .where('id', '=', id)
    .execute();
}

/** Deletes tickets that were used more than 400 days ago. */
export async function purgeTickets(db: Database, now: number): Promise<void> {
  const before = new Date(now - RETENTION_MS).toISOString();
  await db.withTables<TicketTables>().deleteFrom('change_tickets').where('used_at', '<', before).execute();
}

import { sql } from 'kysely';
import type { EventTx } from '../../../../storage/database.ts';
import { rowsOf } from '../../../../storage/json-rows.ts';
import type { SingleEvent } from './event-keys.ts';

const TABLES = { exposure: 'exposures_by_day', track: 'track_events_by_day' } as const;

/** Which of the events are stored already: the type and key of each as JSON. */
export async function findStored(tx: EventTx, events: readonly SingleEvent[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const type of ['exposure', 'track'] as const) {
    const keys = events.filter((event) => event.type === type).map(({ key }) => key);
    if (keys.length === 0) continue;
    const { rows } = await sql<{ organization: string; environment: string; timestamp: string; id: string }>`
      select stored.organization_id as organization, stored.environment_id as environment, stored.timestamp, stored.id
      from (select value ->> 0 as organization_id, value ->> 1 as environment_id, value ->> 2 as timestamp,
        value ->> 3 as id from ${rowsOf(keys)} as item) as sent
      cross join ${sql.table(TABLES[type])} as stored
      where stored.organization_id = sent.organization_id and stored.environment_id = sent.environment_id
        and stored.timestamp = sent.timestamp and stored.id = sent.id`.execute(tx);
    for (const row of rows)
      found.add(JSON.stringify([type, row.organization, row.environment, row.timestamp, row.id]));
  }
  return found;
}

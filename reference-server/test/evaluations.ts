import { createLastEvaluations } from '../src/control-plane/features/events/last-evaluations.ts';
import { createEventStore } from '../src/control-plane/features/events/store/create-event-store.ts';
import type { CounterHourlyTable } from '../src/storage/event-tables.ts';
import type { TestServer } from './server.ts';

/** SQLite limits the parameters of a statement. */
const CHUNK = 1_000;

/** Stores counts of evaluations and copies their hours to the flags, as the background job does. */
export async function storeEvaluations(
  { db, events }: Pick<TestServer, 'db' | 'events'>,
  rows: readonly CounterHourlyTable[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += CHUNK) {
    await events
      .insertInto('counters_hourly')
      .values(rows.slice(start, start + CHUNK))
      .execute();
  }
  const now = (): number => Date.parse(rows[0]!.hour);
  const store = createEventStore({ db: events, now });
  await createLastEvaluations({ db, store, now }).record();
}

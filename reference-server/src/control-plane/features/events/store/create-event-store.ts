import { sql } from 'kysely';
import type { EventDatabase, EventTx } from '../../../../storage/database.ts';
import { postgresOf } from '../../../../storage/engine.ts';
import { rowsOf } from '../../../../storage/json-rows.ts';
import { longReads } from '../../../../storage/long-reads.ts';
import type { EventStore, ReceivedBatch } from '../event-store.ts';
import { eraseEvents } from './erase-events.ts';
import { singleEventsOf } from './event-keys.ts';
import { createPartitions } from './partitions.ts';
import { BATCH_MEMORY_MS, purgeEvents } from './purge-events.ts';
import { createCounterReaders } from './read-counters.ts';
import { writeBatches } from './write-batches.ts';

/** The event store on SQLite or PostgreSQL. `now` is in milliseconds since 1970. */
export function createEventStore({
  db,
  now,
}: {
  readonly db: EventDatabase;
  readonly now: () => number;
}): EventStore {
  const partitions = postgresOf(db) === undefined ? undefined : createPartitions(db);
  const ago = (ms: number): string => new Date(now() - ms).toISOString();

  return {
    ...createCounterReaders(() => longReads(db)),

    async write(batches) {
      if (batches.length === 0) return [];
      const keys = batches.flatMap((batch) => singleEventsOf(batch).map(({ key }) => key));
      await partitions?.prepare(keys.map(([, , timestamp]) => timestamp.slice(0, '2026-11-20'.length)));
      return db.transaction().execute(async (tx) => {
        if (partitions !== undefined) await lockEnvironments(tx, batches);
        return writeBatches(tx, batches, { receivedAt: ago(0), knownSince: ago(BATCH_MEMORY_MS) });
      });
    },

    erase: (scope, userKeys) => eraseEvents(db, scope, { userKeys, now: now() }),
    purge: (time) => purgeEvents(db, { now: time, partitions }),
  };
}

/**
 * Lets one node at a time store batches of an environment, so that a batch that reaches two nodes is counted once. The
 * locks are those of `writeExclusively` in earlier versions, taken in one order by all nodes.
 */
async function lockEnvironments(tx: EventTx, batches: readonly ReceivedBatch[]): Promise<void> {
  const names = [...new Set(batches.map(({ environmentId }) => `events of ${environmentId}`))];
  await sql`select pg_advisory_xact_lock(lock.key) from (
    select distinct hashtextextended(value ->> 0, 0) as key from ${rowsOf(names.map((name) => [name]))} as item
    order by key) as lock`.execute(tx);
}

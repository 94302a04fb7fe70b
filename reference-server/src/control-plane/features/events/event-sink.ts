import type { EvaluationEvent, ExposureEvent, SummaryEvent, TrackEvent } from '@flagsvc/sdk-core';
import { sql } from 'kysely';
import type { BatchReceipt, EventSink, KeyGrant } from '../../../data-plane/ports.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database, Tx } from '../../../storage/database.ts';
import { numberAt, rowsOf } from '../../../storage/json-rows.ts';
import { writeExclusively } from '../../../storage/transactions.ts';

/**
 * A batch that is sent again within this time is recognized. It is as long as the age up to which events are accepted,
 * because a relay may repeat a batch until then.
 */
export const BATCH_MEMORY_MS = 3 * DAY_MS;

/**
 * Stores each batch in one transaction: counters by hour, exposures and track events once per id, and the receipt. A
 * batch that is sent again gets the same receipt and is not counted twice.
 */
export function createEventSink({
  db,
  now,
}: {
  readonly db: Database;
  readonly now: () => number;
}): EventSink {
  const ago = (ms: number): string => new Date(now() - ms).toISOString();

  return {
    accept: (grant, batch, rejected) =>
      writeExclusively(db, `events of ${grant.environmentId}`, async (tx) => {
        const known = await findReceipt(tx, grant, { batchId: batch.batch_id, since: ago(BATCH_MEMORY_MS) });
        if (known !== undefined) return { ...known, duplicate: true };
        const duplicates = await store(tx, grant, batch.events);
        const receipt: BatchReceipt = {
          batch_id: batch.batch_id,
          accepted: batch.events.length - duplicates,
          duplicates,
          rejected,
        };
        await saveReceipt(tx, grant, { receipt, receivedAt: ago(0) });
        return receipt;
      }),
  };
}

async function findReceipt(
  tx: Tx,
  grant: KeyGrant,
  { batchId, since }: { readonly batchId: string; readonly since: string },
): Promise<BatchReceipt | undefined> {
  const row = await tx
    .selectFrom('event_batches')
    .select('receipt_json')
    .where('organization_id', '=', grant.organizationId)
    .where('environment_id', '=', grant.environmentId)
    .where('batch_id', '=', batchId)
    .where('received_at', '>=', since)
    .executeTakeFirst();
  return row === undefined ? undefined : (JSON.parse(row.receipt_json) as BatchReceipt);
}

async function saveReceipt(
  tx: Tx,
  grant: KeyGrant,
  { receipt, receivedAt }: { readonly receipt: BatchReceipt; readonly receivedAt: string },
): Promise<void> {
  const receipt_json = JSON.stringify(receipt);
  await tx
    .insertInto('event_batches')
    .values({
      organization_id: grant.organizationId,
      environment_id: grant.environmentId,
      batch_id: receipt.batch_id,
      receipt_json,
      received_at: receivedAt,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'environment_id', 'batch_id'])
        .doUpdateSet({ receipt_json, received_at: receivedAt }),
    )
    .execute();
}

/** Stores the events and returns how many exposures and track events were already stored. */
async function store(tx: Tx, grant: KeyGrant, events: readonly EvaluationEvent[]): Promise<number> {
  const exposures = events.filter((event) => event.type === 'exposure');
  const tracks = events.filter((event) => event.type === 'track');
  await addCounters(
    tx,
    grant,
    events.filter((event) => event.type === 'summary'),
  );
  const stored = (await addExposures(tx, grant, exposures)) + (await addTracks(tx, grant, tracks));
  return exposures.length + tracks.length - stored;
}

// Rows are passed as one JSON parameter, so that one prepared statement serves any number of them.

async function addCounters(tx: Tx, grant: KeyGrant, summaries: readonly SummaryEvent[]): Promise<void> {
  const sums = new Map<string, { readonly row: readonly (string | number)[]; count: number }>();
  for (const { start, counters } of summaries) {
    const hour = hourOf(start);
    for (const { flag_key, variation_key, reason, rule_id, count } of counters) {
      const row = [hour, flag_key, variation_key ?? '', reason, rule_id ?? ''];
      const name = JSON.stringify(row);
      const sum = sums.get(name) ?? { row, count: 0 };
      sum.count += count;
      sums.set(name, sum);
    }
  }
  if (sums.size === 0) return;
  const rows = [...sums.values()].map(({ row, count }) => [...row, count]);
  await sql`
    insert into counters_hourly
      (organization_id, environment_id, hour, flag_key, variation_key, reason, rule_id, count)
    select ${grant.organizationId}, ${grant.environmentId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3,
      value ->> 4, ${numberAt(5)}
    from ${rowsOf(rows)} as item where true
    on conflict (organization_id, environment_id, hour, flag_key, variation_key, reason, rule_id)
      do update set count = counters_hourly.count + excluded.count`.execute(tx);
}

async function addExposures(tx: Tx, grant: KeyGrant, exposures: readonly ExposureEvent[]): Promise<number> {
  if (exposures.length === 0) return 0;
  const rows = exposures.map((event) => [
    event.id,
    toTimestamp(event.timestamp),
    event.flag_key,
    event.variation_key ?? null,
    event.reason,
    event.rule_id ?? null,
    event.user_key ?? '',
    event.user_key_hashed === true ? 1 : 0,
    event.experiment_key ?? null,
    event.ruleset_version ?? null,
    event.unit?.by ?? null,
    event.unit?.key ?? null,
  ]);
  const { numAffectedRows } = await sql`
    insert into exposures
      (organization_id, environment_id, id, timestamp, flag_key, variation_key, reason, rule_id, user_key,
       user_key_hashed, experiment_key, ruleset_version, unit_by, unit_key)
    select ${grant.organizationId}, ${grant.environmentId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3,
      value ->> 4, value ->> 5, value ->> 6, ${numberAt(7)}, value ->> 8, ${numberAt(9)},
      value ->> 10, value ->> 11
    from ${rowsOf(rows)} as item where true
    on conflict do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

async function addTracks(tx: Tx, grant: KeyGrant, tracks: readonly TrackEvent[]): Promise<number> {
  if (tracks.length === 0) return 0;
  const rows = tracks.map((event) => [
    event.id,
    toTimestamp(event.timestamp),
    event.event_name,
    event.user_key ?? '',
    event.user_key_hashed === true ? 1 : 0,
    event.value ?? null,
    JSON.stringify(event.properties ?? {}),
    event.units == null ? null : JSON.stringify(event.units),
  ]);
  const { numAffectedRows } = await sql`
    insert into track_events
      (organization_id, environment_id, id, timestamp, event_name, user_key, user_key_hashed, value, properties_json,
       units_json)
    select ${grant.organizationId}, ${grant.environmentId}, value ->> 0, value ->> 1, value ->> 2, value ->> 3,
      ${numberAt(4)}, ${numberAt(5)}, value ->> 6, value ->> 7
    from ${rowsOf(rows)} as item where true
    on conflict do nothing`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Normalizes a timestamp, so that timestamps can be compared as text. */
function toTimestamp(iso: string): string {
  return new Date(iso).toISOString();
}

function hourOf(iso: string): string {
  return `${toTimestamp(iso).slice(0, 13)}:00:00.000Z`;
}

import type { ExposureEvent, SummaryEvent, TrackEvent } from '@flagsvc/sdk-core';
import type { BatchReceipt } from '../../../../data-plane/ports.ts';
import type { EventTx } from '../../../../storage/database.ts';
import type { EventScope, ReceivedBatch } from '../event-store.ts';
import { type EventRow, hourOf, keyOf, nameOf, singleEventsOf } from './event-keys.ts';
import { insertCounters, insertExposures, insertTracks } from './insert-rows.ts';
import { findReceipts, saveReceipts } from './receipts.ts';
import { findStored } from './stored-events.ts';

/** Rows of one group of batches that have not been stored before. */
interface NewRows {
  readonly counters: Map<string, { readonly row: EventRow; count: number }>;
  /** By organization, environment, time and id. */
  readonly exposures: Map<string, EventRow>;
  readonly tracks: Map<string, EventRow>;
}

/** Stores a group of batches in the open transaction. See `EventStore.write`. */
export async function writeBatches(
  tx: EventTx,
  batches: readonly ReceivedBatch[],
  { receivedAt, knownSince }: { readonly receivedAt: string; readonly knownSince: string },
): Promise<readonly BatchReceipt[]> {
  const receipts = await findReceipts(tx, batches, knownSince);
  const seen = new Set(receipts.keys());
  const fresh = batches.filter((batch) => {
    const name = nameOf(batch);
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
  const stored = await findStored(tx, fresh.flatMap(singleEventsOf));
  const rows: NewRows = { counters: new Map(), exposures: new Map(), tracks: new Map() };
  const written = fresh.map((batch) => ({ batch, receipt: collect(batch, { rows, stored }) }));
  await insertCounters(
    tx,
    [...rows.counters.values()].map(({ row, count }) => [...row, count]),
  );
  await insertExposures(tx, [...rows.exposures.values()]);
  await insertTracks(tx, [...rows.tracks.values()]);
  await saveReceipts(tx, written, receivedAt);
  const first = new Map(written.map(({ batch, receipt }) => [nameOf(batch), receipt]));
  return batches.map((batch) => {
    const name = nameOf(batch);
    const own = first.get(name);
    first.delete(name);
    if (own === undefined) return { ...receipts.get(name)!, duplicate: true };
    receipts.set(name, own);
    return own;
  });
}

/** Adds the rows of a batch and returns its receipt. */
function collect(
  batch: ReceivedBatch,
  { rows, stored }: { readonly rows: NewRows; readonly stored: ReadonlySet<string> },
): BatchReceipt {
  let duplicates = 0;
  const add = (to: Map<string, EventRow>, event: ExposureEvent | TrackEvent, rest: EventRow): void => {
    const key = keyOf(batch, event);
    const name = JSON.stringify([event.type, ...key]);
    if (stored.has(name) || to.has(name)) duplicates += 1;
    else to.set(name, [...key, ...rest]);
  };
  for (const event of batch.events) {
    if (event.type === 'summary') addCounters(rows.counters, batch, event);
    else if (event.type === 'exposure') add(rows.exposures, event, exposureColumns(event));
    else if (event.type === 'track') add(rows.tracks, event, trackColumns(event));
  }
  return {
    batch_id: batch.batchId,
    accepted: batch.events.length - duplicates,
    duplicates,
    rejected: batch.rejected,
  };
}

function addCounters(sums: NewRows['counters'], scope: EventScope, { start, counters }: SummaryEvent): void {
  const hour = hourOf(start);
  for (const { flag_key, variation_key, reason, rule_id, count } of counters) {
    const row = [
      scope.organizationId,
      scope.environmentId,
      hour,
      flag_key,
      variation_key ?? '',
      reason,
      rule_id ?? '',
    ];
    const name = JSON.stringify(row);
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, { row, count });
    else sum.count += count;
  }
}

const exposureColumns = (event: ExposureEvent): EventRow => [
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
];

const trackColumns = (event: TrackEvent): EventRow => [
  event.event_name,
  event.user_key ?? '',
  event.user_key_hashed === true ? 1 : 0,
  event.value ?? null,
  JSON.stringify(event.properties ?? {}),
  event.units == null ? null : JSON.stringify(event.units),
];

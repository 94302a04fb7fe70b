import { sql } from 'kysely';
import type { BatchReceipt } from '../../../../data-plane/ports.ts';
import type { EventTx } from '../../../../storage/database.ts';
import { rowsOf } from '../../../../storage/json-rows.ts';
import type { ReceivedBatch } from '../event-store.ts';
import { nameOf } from './event-keys.ts';
import { insertReceipts } from './insert-rows.ts';

/** The receipts of batches that were stored at or after `since`, by `nameOf`. */
export async function findReceipts(
  tx: EventTx,
  batches: readonly ReceivedBatch[],
  since: string,
): Promise<Map<string, BatchReceipt>> {
  const keys = batches.map((batch) => [batch.organizationId, batch.environmentId, batch.batchId]);
  const { rows } = await sql<{
    organization_id: string;
    environment_id: string;
    batch_id: string;
    receipt_json: string;
  }>`
    select stored.organization_id, stored.environment_id, stored.batch_id, stored.receipt_json
    from (select value ->> 0 as organization_id, value ->> 1 as environment_id, value ->> 2 as batch_id
      from ${rowsOf(keys)} as item) as sent
    cross join event_batches as stored
    where stored.organization_id = sent.organization_id and stored.environment_id = sent.environment_id
      and stored.batch_id = sent.batch_id and stored.received_at >= ${since}`.execute(tx);
  return new Map(
    rows.map((row) => [
      JSON.stringify([row.organization_id, row.environment_id, row.batch_id]),
      JSON.parse(row.receipt_json) as BatchReceipt,
    ]),
  );
}

/** Stores the receipts of batches. */
export async function saveReceipts(
  tx: EventTx,
  written: readonly { readonly batch: ReceivedBatch; readonly receipt: BatchReceipt }[],
  receivedAt: string,
): Promise<void> {
  const rows = [...written]
    .sort((one, other) => (nameOf(one.batch) < nameOf(other.batch) ? -1 : 1))
    .map(({ batch: { organizationId, environmentId, batchId }, receipt }) => [
      organizationId,
      environmentId,
      batchId,
      JSON.stringify(receipt),
      receivedAt,
    ]);
  await insertReceipts(tx, rows);
}

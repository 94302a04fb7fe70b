import { createHash } from 'node:crypto';
import type { EventBatch } from '@flagsvc/sdk-core';

/** The server takes bodies of at most 1 MiB; a batch that came as MessagePack can be longer as JSON. */
export const BATCH_BYTES_MAX = 1_000_000;
const ID_LENGTH_MAX = 128;

/**
 * A batch as JSON, in several parts if it is too long. The same batch always has the same parts with the same ids, so
 * that the server recognizes a repetition.
 */
export function splitBatch(batch: EventBatch): readonly { readonly json: string; readonly events: number }[] {
  const json = JSON.stringify(batch);
  const { events } = batch;
  if (Buffer.byteLength(json) <= BATCH_BYTES_MAX || events.length <= 1)
    return [{ json, events: events.length }];
  const middle = Math.ceil(events.length / 2);
  const part = (name: string, some: EventBatch['events']): EventBatch => ({
    ...batch,
    batch_id: partId(batch.batch_id, name),
    events: some,
  });
  return [...splitBatch(part('a', events.slice(0, middle))), ...splitBatch(part('b', events.slice(middle)))];
}

function partId(batchId: string, name: string): string {
  const id = `${batchId}/${name}`;
  return id.length <= ID_LENGTH_MAX ? id : createHash('sha256').update(id).digest('hex');
}

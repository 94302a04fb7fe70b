import type { EventBatch } from '@flagsvc/sdk-core';
import { expect, test } from 'vitest';
import { BATCH_BYTES_MAX, splitBatch } from './split-batch.ts';

const batchOf = (count: number, bytes: number, batch_id = 'b'): EventBatch =>
  ({
    batch_id,
    sdk: { name: 'n' },
    events: Array.from({ length: count }, (_, index) => ({
      type: 'track',
      id: `${index}`,
      text: 'ü'.repeat(bytes / 2),
    })),
  }) as unknown as EventBatch;

test('keeps a batch that fits', () => {
  const batch = batchOf(10, 100);
  expect(splitBatch(batch)).toEqual([{ json: JSON.stringify(batch), events: 10 }]);
});

test('splits a batch that is too long into parts that fit, in the same way each time', () => {
  const batch = batchOf(1_000, 4_000);
  const parts = splitBatch(batch);
  const read = parts.map(({ json }) => JSON.parse(json) as EventBatch);
  for (const { json } of parts) expect(Buffer.byteLength(json)).toBeLessThanOrEqual(BATCH_BYTES_MAX);
  expect(read.flatMap(({ events }) => events)).toEqual(batch.events);
  expect(read.map(({ events }) => events.length)).toEqual(parts.map(({ events }) => events));
  expect(new Set(read.map(({ batch_id }) => batch_id)).size).toBe(parts.length);
  expect(splitBatch(structuredClone(batch))).toEqual(parts);
});

test('keeps ids within the limit of the protocol', () => {
  for (const { json } of splitBatch(batchOf(1_000, 4_000, 'x'.repeat(128)))) {
    expect(JSON.parse(json).batch_id.length).toBeLessThanOrEqual(128);
  }
});

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BatchReceipt } from '../../../data-plane/ports.ts';
import { DatabaseUnavailable } from '../../../storage/unavailable.ts';
import { createEventIntake } from './event-intake.ts';
import type { ReceivedBatch } from './event-store.ts';

const batch = (batchId: string, counters = 1): ReceivedBatch => ({
  organizationId: 'org_1',
  environmentId: 'env_1',
  batchId,
  events: [{ type: 'summary', counters: Array(counters).fill({}) } as never],
  rejected: [],
});

/** A store whose writes wait for `release`, with the ids of each group. */
function createStore(failing: (ids: readonly string[]) => Error | undefined = () => undefined) {
  const groups: string[][] = [];
  const waiting: (() => void)[] = [];
  return {
    groups,
    release: async () => {
      waiting.shift()!();
      await setImmediate();
    },
    async write(batches: readonly ReceivedBatch[]): Promise<readonly BatchReceipt[]> {
      const ids = batches.map(({ batchId }) => batchId);
      groups.push(ids);
      await new Promise<void>((resolve) => waiting.push(resolve));
      const error = failing(ids);
      if (error !== undefined) throw error;
      return ids.map((batch_id) => ({ batch_id, accepted: 1, duplicates: 0, rejected: [] }));
    },
  };
}

test('batches that arrive while others are stored share one transaction', async () => {
  const store = createStore();
  const { accept } = createEventIntake(store);
  const receipts = ['1', '2', '3', '4'].map((id) => accept(batch(id)));
  await store.release();
  await store.release();
  expect(store.groups).toEqual([['1'], ['2', '3', '4']]);
  expect((await Promise.all(receipts)).map(({ batch_id }) => batch_id)).toEqual(['1', '2', '3', '4']);
});

test('a group is limited by what it contains, and by its number of batches', async () => {
  const store = createStore();
  const { accept } = createEventIntake(store);
  const ids = Array.from({ length: 600 }, (_, index) => String(index));
  const all = [
    accept(batch('first')),
    ...['a', 'b', 'c'].map((id) => accept(batch(id, 2_000))),
    ...ids.map((id) => accept(batch(id))),
  ];
  for (let round = 0; round < 5; round++) await store.release();
  await Promise.all(all);
  expect(store.groups.map((group) => group.length)).toEqual([1, 2, 250, 250, 101]);
});

test('a batch larger than a group is stored alone', async () => {
  const store = createStore();
  const { accept } = createEventIntake(store);
  const all = [accept(batch('first')), accept(batch('large', 9_000)), accept(batch('next'))];
  for (let round = 0; round < 3; round++) await store.release();
  await Promise.all(all);
  expect(store.groups).toEqual([['first'], ['large'], ['next']]);
});

test('a batch that cannot be stored does not take the others of its group with it', async () => {
  const store = createStore((ids) => (ids.includes('bad') ? new Error('refused') : undefined));
  const { accept } = createEventIntake(store);
  const all = ['1', '2', 'bad', '3'].map((id) => accept(batch(id)));
  const settled = Promise.allSettled(all);
  for (let round = 0; round < 5; round++) await store.release();
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(store.groups).toEqual([['1'], ['2', 'bad', '3'], ['2'], ['bad'], ['3']]);
});

test('an unavailable database fails the whole group at once, and later batches are tried again', async () => {
  let isAway = true;
  const store = createStore(() => (isAway ? new DatabaseUnavailable('away') : undefined));
  const { accept } = createEventIntake(store);
  const settled = Promise.allSettled(['1', '2', '3'].map((id) => accept(batch(id))));
  await store.release();
  await store.release();
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  isAway = false;
  const next = accept(batch('4'));
  await store.release();
  expect(await next).toMatchObject({ batch_id: '4' });
  expect(store.groups).toEqual([['1'], ['2', '3'], ['4']]);
});

test('batches are refused while too many wait', async () => {
  const store = createStore();
  const { accept } = createEventIntake(store);
  const all = Promise.allSettled(Array.from({ length: 5_002 }, (_, index) => accept(batch(String(index)))));
  for (let round = 0; store.groups.flat().length < 5_001 || round < 21; round++) await store.release();
  const refused = (await all).filter(({ status }) => status === 'rejected');
  expect(refused).toMatchObject([{ reason: { code: 'DATABASE_UNAVAILABLE' } }]);
});

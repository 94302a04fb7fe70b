import { afterEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/database.ts';
import type { Database } from '../../storage/database.ts';
import { createLease, LEASE_MS } from './lease.ts';

const open: Database[] = [];
afterEach(async () => {
  for (const db of open.splice(0)) await db.destroy();
});

async function start() {
  const db = await openTestDatabase();
  open.push(db);
  let time = Date.parse('2026-11-20T10:00:00.000Z');
  const clock = () => time;
  const newLease = (now = clock, monotonic = clock) => createLease(db, 'work', { now, monotonic });
  const advance = (ms: number): void => {
    time += ms;
  };
  return { db, newLease, advance, clock };
}

test('one process holds the lease at a time, and another can take it once it expires', async () => {
  const { newLease, advance } = await start();
  const [first, second] = [newLease(), newLease()];
  expect([await first.take(), await second.take()]).toEqual([true, false]);
  expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);
  advance(LEASE_MS - 1);
  expect(await second.take()).toBe(false);
  advance(1);
  expect(first.isHeld()).toBe(false);
  expect([await second.take(), await first.take()]).toEqual([true, false]);
});

test('a process keeps the lease by taking it again, with one write every few seconds', async () => {
  const { db, newLease, advance } = await start();
  const [first, second] = [newLease(), newLease()];
  const ends = new Set<string>();
  for (let count = 0; count < 60; count++) {
    expect([await first.take(), await second.take()]).toEqual([true, false]);
    const { expires_at } = await db.selectFrom('leases').select('expires_at').executeTakeFirstOrThrow();
    ends.add(expires_at);
    advance(1_000);
  }
  expect(ends.size).toBeLessThanOrEqual(15);
});

test('setting back the clock of the holder does not extend the lease', async () => {
  const { newLease, advance, clock } = await start();
  let setBack = 0;
  const [first, second] = [newLease(() => clock() - setBack), newLease()];
  expect(await first.take()).toBe(true);
  setBack = 3_600_000;
  advance(LEASE_MS);
  expect([await second.take(), first.isHeld(), await first.take()]).toEqual([true, false, false]);
});

test('a live holder whose clock runs ahead keeps the lease, and another process takes it soon after the holder dies', async () => {
  const { newLease, advance, clock } = await start();
  const [ahead, second] = [newLease(() => clock() + 3_600_000, clock), newLease()];
  for (let count = 0; count < 30; count++) {
    expect([await ahead.take(), await second.take()]).toEqual([true, false]);
    advance(1_000);
  }
  let waited = 0;
  while (!(await second.take())) {
    advance(1_000);
    waited += 1_000;
    expect(waited).toBeLessThanOrEqual(LEASE_MS + 1_000);
  }
  expect(waited).toBeGreaterThanOrEqual(LEASE_MS - 6_000);
});

test('the lease expires while the machine sleeps', async () => {
  const { newLease, advance, clock } = await start();
  const asleep = clock();
  const lease = newLease(clock, () => asleep);
  expect([await lease.take(), lease.isHeld()]).toEqual([true, true]);
  advance(LEASE_MS);
  expect(lease.isHeld()).toBe(false);
});

test('a process does not hold the lease after a failed attempt to renew it', async () => {
  const { db, advance, clock } = await start();
  const cut = db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode') throw new Error('away');
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const lease = createLease(cut, 'work', { now: clock, monotonic: clock });
  expect(await lease.take()).toBe(true);
  await db.updateTable('leases').set({ holder: 'another' }).execute();
  advance(5_000);
  await expect(lease.take()).rejects.toThrow('away');
  expect(lease.isHeld()).toBe(false);
});

test('a released lease is free at once, and only its holder can release it', async () => {
  const { newLease } = await start();
  const [first, second] = [newLease(), newLease()];
  await first.take();
  await second.release();
  expect(await second.take()).toBe(false);
  await first.release();
  expect([first.isHeld(), await second.take()]).toEqual([false, true]);
});

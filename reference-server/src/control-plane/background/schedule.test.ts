import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/database.ts';
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import type { Database } from '../../storage/database.ts';
import { createSchedule, nextNight, type Schedule } from './schedule.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
let time = START;
let db: Database;
beforeEach(async () => {
  time = START;
  db = await openTestDatabase();
});
afterEach(() => db.destroy());

const newSchedule = (): Schedule => createSchedule({ db, now: () => time });
const nightly = { name: 'test', schedule: 'nightly', run: async () => {} } as const;

test.each([
  ['2026-11-20T02:00:00.000Z', '2026-11-20T03:00:00.000Z'],
  ['2026-11-20T03:00:00.000Z', '2026-11-21T03:00:00.000Z'],
  ['2026-11-20T04:00:00.000Z', '2026-11-21T03:00:00.000Z'],
])('the first night after %s begins at %s', (now, expected) => {
  expect(new Date(nextNight(Date.parse(now))).toISOString()).toBe(expected);
});

test('a nightly job is due once a night, in only one of the processes', async () => {
  const [first, second] = [newSchedule(), newSchedule()];
  const claims: boolean[][] = [];
  for (const hours of [0, 1, 16, 17, 18, 40, 41, 42]) {
    time = START + hours * HOUR_MS;
    claims.push([await first.claim(nightly), await second.claim(nightly)]);
  }
  const [due, notDue] = [
    [true, false],
    [false, false],
  ];
  expect(claims).toEqual([notDue, notDue, notDue, due, notDue, notDue, due, notDue]);
});

test('only one of several processes that check at the same moment runs a nightly job', async () => {
  const schedules = [newSchedule(), newSchedule(), newSchedule()];
  for (const schedule of schedules) await schedule.claim(nightly);
  time += DAY_MS;
  const claims = await Promise.all(schedules.map((schedule) => schedule.claim(nightly)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test('a nightly job makes up for a night in which no process was running', async () => {
  await newSchedule().claim(nightly);
  time += DAY_MS;
  expect(await newSchedule().claim(nightly)).toBe(true);
  expect(await newSchedule().claim(nightly)).toBe(false);
  const row = await db.selectFrom('job_runs').selectAll().executeTakeFirst();
  expect(row).toEqual({
    job: 'test',
    due_at: '2026-11-22T03:00:00.000Z',
    last_run_at: '2026-11-21T10:00:00.000Z',
  });
});

test('once a clock that ran years ahead is corrected, a nightly job is due again the next night', async () => {
  await newSchedule().claim(nightly);
  time += 2_000 * DAY_MS;
  expect(await newSchedule().claim(nightly)).toBe(true);
  time -= 2_000 * DAY_MS;
  expect(await newSchedule().claim(nightly)).toBe(false);
  time += DAY_MS;
  expect(await newSchedule().claim(nightly)).toBe(true);
});

test('a job with an interval is due at once and then once per interval', async () => {
  const schedule = newSchedule();
  const job = { name: 'test', schedule: { everyMs: 10 }, run: async () => {} };
  let due = 0;
  for (const end = START + 30; time < end; time++) if (await schedule.claim(job)) due++;
  expect(due).toBe(3);
});

test('a clock that was set back does not delay a job with an interval', async () => {
  const schedule = newSchedule();
  const job = { name: 'test', schedule: { everyMs: 10 }, run: async () => {} };
  await schedule.claim(job);
  time -= 1_000;
  expect(await schedule.claim(job)).toBe(true);
  time += 9;
  expect(await schedule.claim(job)).toBe(false);
});

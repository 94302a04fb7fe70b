import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOnPostgres, newDatabase, type SharedDatabase } from '../../test/database.ts';
import type { Database, Queryable } from './database.ts';
import { longReads } from './long-reads.ts';
import { openDatabase } from './open-database.ts';
import { readConsistently, runLongRead } from './transactions.ts';

let shared: SharedDatabase;
let db: Database;
beforeEach(async () => {
  shared = await newDatabase();
  db = await openDatabase(shared.url);
});
afterEach(async () => {
  await db.destroy();
  await shared.remove();
});

/** A read that takes a second or so. */
const slow = (on: Pick<Database, 'getExecutor'>) =>
  sql`with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 2000000)
    select max(i) as last from numbers`.execute(on as Database);

const insert = (job: string) =>
  db.insertInto('job_runs').values({ job, due_at: '2026-11-20T10:00:00.000Z', last_run_at: null }).execute();
const jobs = (reading: Queryable) => reading.selectFrom('job_runs').select('job').orderBy('job').execute();

test('short reads and writes are answered while a long read runs', async () => {
  let isOver = false;
  const reading = slow(longReads(db)).then((result) => {
    isOver = true;
    return result;
  });
  for (let count = 0; count < 20; count++) await insert(`job-${count}`);
  expect(await jobs(db)).toHaveLength(20);
  expect(isOver).toBe(false);
  expect((await reading).rows).toEqual([{ last: 2_000_000 }]);
});

test('a long read sees what was committed before, and all its statements see the same state', async () => {
  await insert('a');
  expect(await jobs(longReads(db))).toEqual([{ job: 'a' }]);
  const seen = await runLongRead(db, async (reading) => {
    const before = await jobs(reading);
    await insert('b');
    return [before, await jobs(reading)];
  });
  expect(seen).toEqual([[{ job: 'a' }], [{ job: 'a' }]]);
  expect(await readConsistently(db, jobs)).toHaveLength(2);
});

test.runIf(isOnPostgres)(
  'a long read uses one processor of the database, and other reads may use more',
  async () => {
    const show = async (on: Queryable) =>
      (
        await sql<{
          workers: string;
        }>`select current_setting('max_parallel_workers_per_gather') as workers`.execute(on)
      ).rows[0]!.workers;
    expect(await show(longReads(db))).toBe('0');
    expect(Number(await show(db))).toBeGreaterThan(0);
  },
);

test('several long reads run one after the other and each gets its own rows', async () => {
  for (const job of ['a', 'b', 'c']) await insert(job);
  const found = await Promise.all(
    ['a', 'b', 'c', 'a', 'b', 'c'].map((job) =>
      longReads(db).selectFrom('job_runs').select('job').where('job', '=', job).execute(),
    ),
  );
  expect(found.flat().map(({ job }) => job)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('a faulty statement fails alone', async () => {
  await expect(sql`select id from nowhere`.execute(longReads(db) as Database)).rejects.toThrow(/nowhere/);
  await insert('a');
  expect(await jobs(longReads(db))).toHaveLength(1);
});

import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import type { Database } from '../../storage/database.ts';
import type { BackgroundJob } from './runner.ts';

const NIGHT_HOUR_UTC = 3;

/**
 * A job of the background that is asked often and runs once a night, from three o'clock UTC on. When it is due is kept
 * in the database: a restart does not run it again, and a night in which no process was up is made up for. It is never
 * later than the next night, whatever a clock has said before. The first night is the one after it was made for the
 * first time.
 */
export function nightlyJob({
  db,
  now,
  name,
  run,
}: {
  readonly db: Database;
  readonly now: () => number;
  readonly name: string;
  readonly run: () => Promise<unknown>;
}): BackgroundJob {
  const row = `night of ${name}`;
  const first = nextNight(now());
  let due = Number.NEGATIVE_INFINITY;
  return {
    name,
    async run() {
      const time = now();
      const next = nextNight(time);
      if (time < due && due <= next) return;
      // Another process may have led last night.
      const known = await readDue(db, row);
      due = Math.min(known ?? first, next);
      const isDue = time >= due;
      if (isDue) due = next;
      if (due !== known) await writeDue(db, row, due);
      if (isDue) await run();
    },
  };
}

/** The first three o'clock after a time, both in milliseconds since 1970. */
export function nextNight(now: number): number {
  const midnight = now - (now % DAY_MS);
  const night = midnight + NIGHT_HOUR_UTC * HOUR_MS;
  return now < night ? night : night + DAY_MS;
}

/** A lease of nobody: until it runs out, the work of the night is done. */
async function readDue(db: Database, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('leases').select('expires_at').where('name', '=', name).executeTakeFirst();
  return row && Date.parse(row.expires_at);
}

async function writeDue(db: Database, name: string, due: number): Promise<void> {
  const expires_at = new Date(due).toISOString();
  await db
    .insertInto('leases')
    .values({ name, holder: '', expires_at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ expires_at }))
    .execute();
}

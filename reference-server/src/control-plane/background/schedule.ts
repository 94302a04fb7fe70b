import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import type { Database } from '../../storage/database.ts';
import type { BackgroundJob } from './job.ts';

/** Decides when a job is due. */
export interface Schedule {
  /** Returns true when the job is due. The job then counts as run, so the caller must run it. */
  claim(job: BackgroundJob): Promise<boolean>;
}

const NIGHT_HOUR_UTC = 3;

export function createSchedule({ db, now }: { readonly db: Database; readonly now: () => number }): Schedule {
  const firstNight = nextNight(now());
  const dueAt = new Map<string, number>();
  const ranAt = new Map<string, number>();

  const claimNight = async (job: string): Promise<boolean> => {
    const time = now();
    const next = nextNight(time);
    const known = dueAt.get(job);
    if (known !== undefined && time < known && known <= next) return false;
    const stored = await readDue(db, job, firstNight);
    // A process whose wall clock ran ahead may have stored a date far in the future.
    const due = Math.min(Date.parse(stored), next);
    dueAt.set(job, due);
    if (time < due) {
      if (due !== Date.parse(stored))
        await db
          .updateTable('job_runs')
          .set({ due_at: toText(due) })
          .where('job', '=', job)
          .execute();
      return false;
    }
    // When several processes have read the same date, only one of them succeeds in replacing it.
    const { numUpdatedRows } = await db
      .updateTable('job_runs')
      .set({ due_at: toText(next), last_run_at: toText(time) })
      .where('job', '=', job)
      .where('due_at', '=', stored)
      .executeTakeFirst();
    dueAt.set(job, next);
    return numUpdatedRows > 0n;
  };

  const claimInterval = (job: string, everyMs: number): boolean => {
    const time = now();
    // `Math.abs`, so that a clock that was set back does not delay the job.
    if (Math.abs(time - (ranAt.get(job) ?? Number.NEGATIVE_INFINITY)) < everyMs) return false;
    ranAt.set(job, time);
    return true;
  };

  return {
    async claim({ name, schedule }) {
      if (schedule === undefined) return true;
      return schedule === 'nightly' ? claimNight(name) : claimInterval(name, schedule.everyMs);
    },
  };
}

/** The first 03:00 UTC after a time, both in milliseconds since 1970. */
export function nextNight(now: number): number {
  const midnight = now - (now % DAY_MS);
  const night = midnight + NIGHT_HOUR_UTC * HOUR_MS;
  return now < night ? night : night + DAY_MS;
}

/** The stored due date of a job; stores `first` for a job without one. */
async function readDue(db: Database, job: string, first: number): Promise<string> {
  const find = db.selectFrom('job_runs').select('due_at').where('job', '=', job);
  const known = await find.executeTakeFirst();
  if (known !== undefined) return known.due_at;
  await db
    .insertInto('job_runs')
    .values({ job, due_at: toText(first), last_run_at: null })
    // Another process may have stored a due date meanwhile.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await find.executeTakeFirstOrThrow()).due_at;
}

function toText(time: number): string {
  return new Date(time).toISOString();
}

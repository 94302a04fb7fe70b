/** Work that the leading process repeats. */
export interface BackgroundJob {
  /** Unique among all jobs. Names the job in the log and, if it is nightly, in the table `job_runs`. */
  readonly name: string;
  /** Default: at every pass of the runner. */
  readonly schedule?: JobSchedule;
  /** Does the work. An error is logged, and the job runs again when it is next due. */
  readonly run: () => Promise<unknown>;
  /** Resolves when all work that `run` has left under way has finished; default: `run` leaves none. */
  readonly settled?: () => Promise<void>;
  /** Called when the server closes; starts no further work, and resolves when the work under way has finished. */
  readonly stop?: () => Promise<void>;
}

/**
 * - `nightly`: once a night, from 03:00 UTC on. The due date is stored, so that a restart does not run the job again, and
 *   a job that no process could run at night runs as soon as one starts. Only one of several processes runs it.
 * - `everyMs`: once per interval and process, the first time at once.
 */
export type JobSchedule = 'nightly' | { readonly everyMs: number };

/** Work that the leading process repeats. */
export interface BackgroundJob {
  /** Unique among all jobs. Names the job in the log and, if it is nightly, in the table `job_runs`. */
  readonly name: string;
  /** Default: at every pass of the runner. */
  readonly schedule?: JobSchedule;
  /** Does the work. An error is logged, and the job runs again when it is next due. */
  readonly run: () => Promise<unknown>;
  /** Resolves when the work that `run` started but did not wait for has finished; absent if there is none. */
  readonly settled?: () => Promise<void>;
  /** Called when the server closes; starts no further work, and resolves when the work under way has finished. */
  readonly stop?: () => Promise<void>;
}

/**
 * - `nightly`: once a night, at 03:00 UTC or soon after. The due date is stored, so a restart does not run the job
 *   again, and a job that was missed because no process was running runs as soon as a process starts. If there are
 *   several processes, only one runs the job.
 * - `everyMs`: once per interval; the first run is immediate. Each process measures the interval itself, so a new
 *   leader runs the job at once.
 */
export type JobSchedule = 'nightly' | { readonly everyMs: number };

import type { BackgroundJob } from './job.ts';
import type { Schedule } from './schedule.ts';

/** Runs jobs repeatedly, one after the other and never two at the same time. */
export interface Background {
  /**
   * Makes one pass: runs the jobs that are due, in order, while this process leads. An error of a job goes to
   * `onError`, and the next job runs anyway.
   */
  runOnce(): Promise<void>;
  /** Repeats passes, with a pause of `intervalMs` between them. */
  start(intervalMs: number): void;
  /** Resolves when the work that jobs started but did not wait for has finished. */
  settled(): Promise<void>;
  /** Starts no further job, resolves when the running one has finished, and lets another process lead at once. */
  stop(): Promise<void>;
}

/** The lead decides which of the processes on one database runs jobs: at most one process has it. */
export interface Lead {
  /** Takes or keeps the lead; false while another process has it. */
  take(): Promise<boolean>;
  release(): Promise<void>;
}

export interface BackgroundDeps {
  readonly jobs: readonly BackgroundJob[];
  readonly lead: Lead;
  readonly schedule: Schedule;
  /** Receives each error with the name of the job that threw it; the name is `lead` when taking the lead failed. */
  readonly onError: (error: unknown, job: string) => void;
  /** Wraps each run of a job, to observe it. Default: runs it. */
  readonly observe?: ObserveJob | undefined;
}

/** Runs `run`, a run of the job with this name, and passes on its outcome. */
export type ObserveJob = (job: string, run: () => Promise<unknown>) => Promise<unknown>;

export function createBackground(deps: BackgroundDeps): Background {
  const { jobs, lead, schedule, onError, observe = (_job, run) => run() } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;

  const runJob = async (job: BackgroundJob): Promise<void> => {
    if (await schedule.claim(job)) await observe(job.name, job.run);
  };
  const runAll = async (): Promise<void> => {
    for (const job of jobs) {
      // Checked before each job, because the lead may have been lost during a long one.
      if (isStopped || !(await lead.take())) return;
      await runJob(job).catch((error: unknown) => onError(error, job.name));
    }
  };
  const runOnce = (): Promise<void> => {
    running ??= runAll()
      .catch((error: unknown) => onError(error, 'lead'))
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    runOnce,
    start(intervalMs) {
      const again = (): void => {
        timer = setTimeout(() => void runOnce().then(() => isStopped || again()), intervalMs);
        timer.unref();
      };
      again();
    },
    async settled() {
      await Promise.all(jobs.map((job) => job.settled?.()));
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await Promise.all(jobs.map((job) => job.stop?.()));
      await running;
      await lead.release().catch((error: unknown) => onError(error, 'lead'));
    },
  };
}

/** One piece of work that comes back again and again. */
export interface BackgroundJob {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Runs jobs one after the other, again and again, never twice at the same time. */
export interface Background {
  /**
   * All jobs once, in their order, if the lead is to be had; what one throws goes to `onError` and the others run all the
   * same.
   */
  runOnce(): Promise<void>;
  start(intervalMs: number): void;
  /** Resolves when the running job has finished; no other is started, and somebody else may lead. */
  stop(): Promise<void>;
}

/** Of several processes on one database one leads, and only that one works. */
export interface Lead {
  take(): Promise<boolean>;
  release(): Promise<void>;
}

export function createBackground(
  jobs: readonly BackgroundJob[],
  lead: Lead,
  onError: (error: unknown, job: string) => void,
): Background {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;

  const runAll = async (): Promise<void> => {
    for (const { name, run } of jobs) {
      // Asked before each: a long job may have cost the lead.
      if (isStopped || !(await lead.take())) return;
      await run().catch((error: unknown) => onError(error, name));
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
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
      await lead.release().catch((error: unknown) => onError(error, 'lead'));
    },
  };
}

/**
 * A job that is asked often and runs once in `intervalMs`, the first time at once. A clock that was set back does not
 * keep it from running until its time has come again.
 */
export function every(intervalMs: number, now: () => number, run: () => Promise<void>): () => Promise<void> {
  let ranAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const time = now();
    if (Math.abs(time - ranAt) < intervalMs) return;
    ranAt = time;
    await run();
  };
}

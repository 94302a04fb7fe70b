/** One piece of work that comes back again and again. */
export interface BackgroundJob {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Runs jobs one after the other, again and again, never twice at the same time. */
export interface Background {
  /** All jobs once, in their order; what one throws goes to `onError` and the others run all the same. */
  runOnce(): Promise<void>;
  start(intervalMs: number): void;
  /** Resolves when the running job has finished; no other is started. */
  stop(): Promise<void>;
}

export function createBackground(
  jobs: readonly BackgroundJob[],
  onError: (error: unknown, job: string) => void,
): Background {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopped = false;

  const runAll = async (): Promise<void> => {
    for (const { name, run } of jobs) {
      if (isStopped) return;
      await run().catch((error: unknown) => onError(error, name));
    }
  };
  const runOnce = (): Promise<void> => {
    running ??= runAll().finally(() => {
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
    },
  };
}

import { ApiError } from '../../http/errors.ts';

/** Work that pauses after each step and finally returns its result. */
export type Steps<T> = Generator<void, T>;

/** Runs long work in time slices, so that other requests run in between. */
export interface HeavyWork {
  /**
   * Resolves with the result of the steps. Tasks with less `work` run first; all tasks must measure it in the same
   * unit. Rejects with SERVICE_UNAVAILABLE if the work could not start within two seconds.
   */
  run<T>(work: number, steps: Steps<T>): Promise<T>;
}

const SLICE_MS = 10;
const PATIENCE_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;

interface Task {
  readonly work: number;
  readonly steps: Steps<unknown>;
  readonly queuedAt: number;
  hasStarted: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** The clock and the pause, for tests. */
export interface HeavyWorkPorts {
  /** Milliseconds; default `performance.now`. */
  readonly now?: () => number;
  /** Calls `go` after the event loop has handled everything that was ready; default `setImmediate`. */
  readonly pause?: (go: () => void) => void;
}

export function createHeavyWork({
  now = () => performance.now(),
  pause = setImmediate,
}: HeavyWorkPorts = {}): HeavyWork {
  /** Sorted by work, the least work last. */
  const tasks: Task[] = [];
  let isPaused = false;

  /** Returns true when the task is done or has failed. */
  const step = (task: Task): boolean => {
    try {
      if (!task.hasStarted && now() - task.queuedAt > PATIENCE_MS) throw unavailable();
      task.hasStarted = true;
      const { done, value } = task.steps.next();
      if (done === true) task.resolve(value);
      return done === true;
    } catch (error) {
      task.reject(error);
      return true;
    }
  };

  const slice = (): void => {
    const end = now() + SLICE_MS;
    do {
      if (step(tasks.at(-1)!)) tasks.pop();
    } while (tasks.length > 0 && now() < end);
    isPaused = true;
    pause(() => {
      isPaused = false;
      if (tasks.length > 0) slice();
    });
  };

  return {
    run: <T>(work: number, steps: Steps<T>) =>
      new Promise<T>((resolve, reject) => {
        const task = {
          work,
          steps,
          queuedAt: now(),
          hasStarted: false,
          resolve: resolve as Task['resolve'],
          reject,
        };
        // The new task runs after earlier tasks with the same work.
        const place = tasks.findIndex((other) => other.work <= work);
        tasks.splice(place < 0 ? tasks.length : place, 0, task);
        if (!isPaused) slice();
      }),
  };
}

function unavailable(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: `The server is busy with expensive evaluations; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}

/** One queue per process, because a process has one event loop. */
export const heavyWork: HeavyWork = createHeavyWork();

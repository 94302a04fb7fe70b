import { ApiError } from '../../http/errors.ts';

/** Work that pauses after each step, and ends with its result. */
export type Steps<T> = Generator<void, T>;

/** Does what takes long a slice at a time, so that all else is answered in between. */
export interface HeavyWork {
  /**
   * `work` is how much it is at most, in any unit: the least comes first. Rejects with SERVICE_UNAVAILABLE what could
   * not begin in two seconds.
   */
  run<T>(work: number, steps: Steps<T>): Promise<T>;
}

const SLICE_MS = 10;
const PATIENCE_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;

interface Task {
  readonly work: number;
  readonly steps: Steps<unknown>;
  readonly askedAt: number;
  isBegun: boolean;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** How the time is told, and how the process gets to all else: for tests. */
export interface HeavyWorkPorts {
  /** Milliseconds; default `performance.now`. */
  readonly now?: () => number;
  /** Calls back when all that is ready was answered; default `setImmediate`. */
  readonly pause?: (go: () => void) => void;
}

export function createHeavyWork({
  now = () => performance.now(),
  pause = setImmediate,
}: HeavyWorkPorts = {}): HeavyWork {
  /** The least work last. */
  const tasks: Task[] = [];
  let isPaused = false;

  /** True when it is done, or failed. */
  const step = (task: Task): boolean => {
    try {
      if (!task.isBegun && now() - task.askedAt > PATIENCE_MS) throw unavailable();
      task.isBegun = true;
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
          askedAt: now(),
          isBegun: false,
          resolve: resolve as Task['resolve'],
          reject,
        };
        // Behind those that are as much and came before.
        const place = tasks.findIndex((other) => other.work <= work);
        tasks.splice(place < 0 ? tasks.length : place, 0, task);
        if (!isPaused) slice();
      }),
  };
}

function unavailable(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: `The server is busy matching regular expressions; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });
}

/** A process has one event loop, and so one order of heavy work. */
export const heavyWork: HeavyWork = createHeavyWork();

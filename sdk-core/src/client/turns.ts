import type { ClientConfig } from './client-options.ts';
import type { Reply } from './transport.ts';

/** Takes turns at one endpoint: never two requests at a time, and none before a wait that the server asked for is over. */
export interface Turns {
  /** Takes a turn now; gives the one that is under way, if there is one. Never rejects. */
  run(): Promise<void>;
  /** Takes a turn at any rate; the outcome of one that is under way no longer counts. */
  rerun(): Promise<void>;
  /** Settles when no turn is under way. */
  idle(): Promise<void>;
  /** Plans the next turn, instead of what was planned. */
  schedule(delayMs: number): void;
  /** No turn of its own until `resume`. */
  pause(): void;
  /** Plans again: at once if the next turn would be due within `soonMs`. */
  resume(soonMs: number): void;
  /** For ever. */
  stop(): void;
}

/**
 * The one retry policy (decision 0021). `settle` takes an answer and says after how long the next turn is due, or
 * undefined when the answer is bad. With a base of 1 s a bad one is followed by 1 s doubling up to 5 min, the wait
 * drawn from its upper half; what a retry alone cannot cure starts at 30 s. `Retry-After` and a used-up rate limit
 * are obeyed up to 5 min. Only one timer ever exists, so that a machine that slept takes one turn on waking.
 */
export const createTurns = (
  { clock, random, retryBaseMs }: ClientConfig,
  send: () => Promise<Reply>,
  settle: (reply: Reply) => number | undefined,
): Turns => {
  const capMs = 300 * retryBaseMs;
  let timer: unknown;
  let flight: Promise<void> | undefined;
  let failures = 0;
  let heldUntil = 0;
  let dueAt = 0;
  let paused = false;

  const schedule = (delayMs: number) => {
    clock.clearTimer(timer);
    dueAt = clock.monotonic() + delayMs;
    if (!paused) timer = clock.setTimer(run, delayMs);
  };
  const heldFor = () => Math.max(0, heldUntil - clock.monotonic());
  /** What the server asks for, in milliseconds; not positive, or not a number, when it is nothing. */
  const askedBy = ({ header }: Reply): number => {
    const after = header('retry-after');
    return after
      ? +after * 1000 || Date.parse(after) - clock.now()
      : header('x-ratelimit-remaining') === '0'
        ? +header('x-ratelimit-reset')! * 1000 - clock.now()
        : 0;
  };
  const rerun = () => {
    clock.clearTimer(timer);
    const mine: Promise<void> = send().then((reply) => {
      if (flight !== mine) return;
      const dueMs = settle(reply);
      // Settling may have stopped everything, or begun another turn.
      if (flight !== mine) return;
      flight = undefined;
      failures = dueMs === undefined ? failures + 1 : 0;
      // 60, because the draw may halve it: the slow regime never asks before 30 s.
      const fullMs = Math.min(capMs, (isLasting(reply.status) ? 60 : 1) * retryBaseMs * 2 ** (failures - 1));
      // A tenth more at random: a limit's window ends for everyone at the same moment.
      heldUntil = clock.monotonic() + Math.min(capMs, (askedBy(reply) || 0) * (1 + random() / 10));
      schedule(Math.max(heldFor(), dueMs ?? (fullMs * (1 + random())) / 2));
    });
    flight = mine;
    return mine;
  };
  // Timers may fire a little early: then the turn is planned again, or there would never be another.
  const run = async () => flight ?? (heldFor() ? schedule(heldFor()) : rerun());
  const pause = () => {
    paused = true;
    clock.clearTimer(timer);
  };
  return {
    run,
    rerun,
    idle: async () => flight,
    schedule,
    pause,
    resume(soonMs) {
      const leftMs = dueAt - clock.monotonic();
      paused = false;
      schedule(leftMs < soonMs ? heldFor() : leftMs);
    },
    stop() {
      flight = undefined;
      pause();
    },
  };
};

/** True for a status that the same request will meet again: the fault is the client's own. */
export const isLasting = (status: number): boolean =>
  status >= 400 && status < 500 && ![408, 425, 429].includes(status);

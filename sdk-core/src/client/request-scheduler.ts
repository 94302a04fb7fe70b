import type { ClientConfig } from './client-options.ts';
import type { Reply } from './transport.ts';

/** Takes turns at one endpoint: never two requests at a time, and none before a wait that the server asked for is over. */
export interface Turns {
  /** Takes a turn now, or gives the one that is under way. Resolves to true if it went well; never rejects. */
  run(): Promise<unknown>;
  /** Takes a turn at any rate; the outcome of one that is under way no longer counts. */
  rerun(): Promise<unknown>;
  /** Settles when no turn is under way. */
  idle(): Promise<unknown>;
  /** Plans the next turn, instead of what was planned; not before a wait that the server asked for is over. */
  schedule(delayMs: number): void;
  /** No turn of its own until `resume`. */
  pause(): void;
  /**
   * The next turn is taken when it was planned, or now if it should have been before. One that is under way no longer
   * counts: a page that comes back may never hear of it (decisions/0018).
   */
  resume(): void;
  /** For ever. */
  stop(): void;
}

/**
 * The one retry policy (decisions/0011). `settle` takes an answer and says after how long the next turn is due, or
 * undefined when the answer is bad. With a base of 1 s a bad one is followed by 1 s (times `patience`) doubling up to
 * 5 min, the wait drawn from its upper half; what a retry alone cannot cure starts at 30 s. `Retry-After` and a
 * used-up rate limit are obeyed up to 5 min. Only one timer ever exists, so that a machine that slept takes one turn
 * on waking.
 */
export const createTurns = (
  { clock, random, retryBaseMs }: ClientConfig,
  send: () => Promise<Reply>,
  settle: (reply: Reply) => number | undefined,
  patience = 1,
): Turns => {
  const capMs = 300 * retryBaseMs;
  let timer: unknown;
  let flight: Promise<unknown> | undefined;
  let failures = 0;
  let heldUntil = 0;
  let dueAt = 0;
  let paused = false;

  const schedule = (delayMs: number) => {
    const waitMs = Math.max(0, delayMs, heldUntil - clock.monotonic());
    clock.clearTimer(timer);
    dueAt = clock.monotonic() + waitMs;
    if (!paused) timer = clock.setTimer(run, waitMs);
  };
  const rerun = () => {
    const mine: Promise<unknown> = send().then((reply) => {
      if (flight !== mine) return;
      const dueMs = settle(reply);
      // Settling may have stopped everything, or begun another turn.
      if (flight !== mine) return;
      flight = undefined;
      failures = dueMs !== undefined ? 0 : failures + 1;
      // 60, because the draw may halve it: the slow regime never asks before 30 s.
      const firstMs = (isLasting(reply.status) ? 60 : patience) * retryBaseMs;
      const fullMs = Math.min(capMs, firstMs * 2 ** (failures - 1));
      const { headers } = reply;
      const after = headers?.get?.('retry-after');
      /** What the server asks for, in milliseconds; not positive, or not a number, when it is nothing. */
      const askedMs = after
        ? +after * 1000 || Date.parse(after) - clock.now()
        : headers?.get?.('x-ratelimit-remaining') === '0'
          ? +headers.get('x-ratelimit-reset')! * 1000 - clock.now()
          : 0;
      // A tenth more at random: a limit's window ends for everyone at the same moment.
      heldUntil = clock.monotonic() + Math.min(capMs, (askedMs || 0) * (1 + random() / 10));
      schedule(dueMs ?? (fullMs * (1 + random())) / 2);
      return dueMs !== undefined;
    });
    flight = mine;
    return mine;
  };
  // A timer that fires while a turn is under way gets that one. Timers may fire a little early: then the turn is
  // planned again, or there would never be another.
  const run = async () => flight ?? (heldUntil > clock.monotonic() ? schedule(0) : rerun());
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
    resume() {
      flight = undefined;
      paused = false;
      schedule(dueAt - clock.monotonic());
    },
    stop() {
      flight = undefined;
      heldUntil = Infinity;
      pause();
    },
  };
};

/** True for a status that the same request will meet again: the fault is the client's own. */
export const isLasting = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;

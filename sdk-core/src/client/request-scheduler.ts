import type { ClientConfig } from './client-options.ts';
import type { Clock } from './ports.ts';
import type { Reply } from './transport.ts';

/** Repeats a request on a schedule: one at a time, and never before a wait that the server asked for has ended. */
export interface RequestScheduler {
  /**
   * Joins a request in flight, or else sends now, unless the server asked for a wait. Resolves to true if the request
   * succeeded; never rejects.
   */
  run(): Promise<unknown>;
  /** Sends now even if a request is in flight, whose reply is then ignored. */
  rerun(): Promise<unknown>;
  /** Resolves when no request is in flight. */
  idle(): Promise<unknown>;
  /** Replaces the planned time of the next request; a wait that the server asked for still applies. */
  schedule(delayMs: number): void;
  /** Stops the schedule until `resume`; a request in flight continues. */
  pause(): void;
  /**
   * Sends at the planned time, or now if that time has passed. Ignores the reply to a request in flight, which a page
   * restored from the back/forward cache may never get (decisions/0018).
   */
  resume(): void;
  /** Stops permanently. */
  stop(): void;
}

/** Clock, randomness and waits of a scheduler. */
export interface SchedulerConfig extends Pick<ClientConfig, 'clock' | 'random' | 'retryBaseMs'> {
  /** Multiplies the first wait after a failure. Default 1. */
  readonly patience?: number;
}

/**
 * Repeats `send`, which must not reject. `settle` takes its reply and returns the delay until the next request in
 * milliseconds, or undefined if the request failed.
 *
 * This is the only retry policy (decisions/0011). After a failure the wait is `retryBaseMs` times `patience`. It
 * doubles with each further failure, up to 300 times `retryBaseMs`. The actual wait is random: at least half of this
 * time, and at most all of it. After a failure that a retry cannot cure, the wait is at least 30 times `retryBaseMs`.
 * `Retry-After` and an exhausted rate limit are obeyed up to the same maximum. A scheduler has a single timer, so a
 * machine that slept sends one request on waking.
 */
export const createRequestScheduler = (
  { clock, random, retryBaseMs, patience = 1 }: SchedulerConfig,
  send: () => Promise<Reply>,
  settle: (reply: Reply) => number | undefined,
): RequestScheduler => {
  const maxWaitMs = 300 * retryBaseMs;
  let timer: unknown;
  let inFlight: Promise<unknown> | undefined;
  let failures = 0;
  let blockedUntil = 0;
  let dueAt = 0;
  let isPaused = false;

  const schedule = (delayMs: number) => {
    const waitMs = Math.max(0, delayMs, blockedUntil - clock.monotonic());
    clock.clearTimer(timer);
    dueAt = clock.monotonic() + waitMs;
    if (!isPaused) timer = clock.setTimer(run, waitMs);
  };
  const rerun = () => {
    const request: Promise<unknown> = send().then((reply) => {
      if (inFlight !== request) return;
      const nextMs = settle(reply);
      // `settle` may have stopped this scheduler or sent another request.
      if (inFlight !== request) return;
      inFlight = undefined;
      failures = nextMs === undefined ? failures + 1 : 0;
      // Up to a tenth is added at random, because a limit's window ends for all clients at the same moment.
      const blockedMs = (requestedWaitMs(reply, clock) || 0) * (1 + random() / 10);
      blockedUntil = clock.monotonic() + Math.min(maxWaitMs, blockedMs);
      // 60, because randomness may halve the wait, which must be at least 30 times `retryBaseMs` after a lasting fault.
      const firstMs = (isLasting(reply.status) ? 60 : patience) * retryBaseMs;
      const fullMs = Math.min(maxWaitMs, firstMs * 2 ** (failures - 1));
      schedule(nextMs ?? (fullMs * (1 + random())) / 2);
      return nextMs !== undefined;
    });
    inFlight = request;
    return request;
  };
  // A timer may fire early, before the server's wait is over; then the request is scheduled again.
  const run = async () => inFlight ?? (blockedUntil > clock.monotonic() ? schedule(0) : rerun());
  const pause = () => {
    isPaused = true;
    clock.clearTimer(timer);
  };
  return {
    run,
    rerun,
    idle: async () => inFlight,
    schedule,
    pause,
    resume() {
      inFlight = undefined;
      isPaused = false;
      schedule(dueAt - clock.monotonic());
    },
    stop() {
      inFlight = undefined;
      blockedUntil = Infinity;
      pause();
    },
  };
};

/** The wait that the server asks for, in milliseconds; zero, negative or NaN if it asks for none. */
const requestedWaitMs = ({ header }: Reply, clock: Clock): number => {
  const retryAfter = header?.('retry-after');
  if (retryAfter) return +retryAfter * 1000 || Date.parse(retryAfter) - clock.now();
  if (header?.('x-ratelimit-remaining') !== '0') return 0;
  return +header('x-ratelimit-reset')! * 1000 - clock.now();
};

/** True for a status that the same request would get again, because the fault is in the request. */
export const isLasting = (status: number): boolean => /^4(?!08|25|29)/.test(`${status}`);

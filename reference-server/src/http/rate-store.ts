/** The result of counting one request. Read it at once: the next call for the same key changes it in place. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in whole seconds, rounded up. */
  readonly resetAt: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfter: number;
}

/** Counts requests by key in one-minute windows. */
export interface RateCounter {
  /** Counts one request of `key`. `limit` replaces the counter's limit for this key. */
  take(key: string, limit?: number): RateVerdict;
  /** Takes one counted request of `key` back. */
  refund(key: string): void;
  /** Like `take`, but also counts what other nodes count at the same moment. Absent: `take` does. */
  takeExactly?(key: string): Promise<RateVerdict>;
}

/**
 * Where a rate limiter keeps its counts. `take` is synchronous, because every request waits for it: a store that
 * shares counts between processes counts locally and synchronizes in the background.
 */
export interface RateStore {
  /**
   * Called once per `name`, when the limiter is created. `limit` is the maximum number of requests per key and window.
   */
  openCounter(name: string, limit: number): RateCounter;
}

import { hash, randomUUID } from 'node:crypto';
import type { RateVerdict } from './rate-store.ts';

/** Length of a window. */
export const RATE_WINDOW_MS = 60_000;

/** Maximum number of keys of one counter that have their own windows; all further keys share 65,536 windows. */
export const RATE_KEYS_MAX = 100_000;

/** The two clocks that windows need. */
export interface RateClock {
  /** Wall clock, milliseconds since 1970; only for the headers. */
  now(): number;
  /** Monotonic clock, milliseconds; decides when a window ends. */
  monotonic(): number;
}

export const PROCESS_CLOCK: RateClock = { now: () => Date.now(), monotonic: () => performance.now() };

/** One key's window. It is its own verdict, changed in place, so that counting a request allocates nothing. */
export interface RateWindow extends RateVerdict {
  readonly key: string;
  /** False for a window that several keys share. */
  readonly isOwn: boolean;
  allowed: boolean;
  limit: number;
  remaining: number;
  retryAfter: number;
  resetAt: number;
  /** On the monotonic clock. */
  endsAt: number;
  /** Counted requests, of this process and, as far as known, of others. */
  used: number;
  /** Counted requests of this process. */
  own: number;
  /** The part of `own` that has not been sent to other processes. */
  unsent: number;
  /** Whether the window waits to be sent. */
  isQueued: boolean;
}

/** The windows of one counter. */
export interface RateWindows {
  /** Counts one request of `key` unless `limit` is used up. */
  take(key: string, limit: number): RateWindow;
  /** Takes one counted request back. */
  refund(key: string): void;
}

/**
 * Keeps two generations of windows. A generation lasts as long as a window: a minute. When the younger generation ends,
 * every window of the older one has therefore ended, and its whole map is dropped without a sweep. `onCount` is called
 * after each change of a count.
 */
export function createRateWindows(clock: RateClock, onCount?: (window: RateWindow) => void): RateWindows {
  let young = new Map<string, RateWindow>();
  let old = new Map<string, RateWindow>();
  let rotateAt = clock.monotonic() + RATE_WINDOW_MS;

  const open = (key: string, of: { readonly time: number; readonly isOwn: boolean }): RateWindow => {
    const window: RateWindow = {
      key,
      isOwn: of.isOwn,
      allowed: true,
      limit: 0,
      remaining: 0,
      resetAt: Math.ceil((clock.now() + RATE_WINDOW_MS) / 1000),
      retryAfter: RATE_WINDOW_MS / 1000,
      endsAt: of.time + RATE_WINDOW_MS,
      used: 0,
      own: 0,
      unsent: 0,
      isQueued: false,
    };
    young.set(key, window);
    return window;
  };

  const find = (key: string, time: number): RateWindow | undefined => {
    const window = young.get(key) ?? old.get(key);
    return window !== undefined && time < window.endsAt ? window : undefined;
  };

  const count = (window: RateWindow, by: 1 | -1): void => {
    window.used += by;
    window.own += by;
    window.unsent += by;
    window.remaining = Math.max(0, window.limit - window.used);
    onCount?.(window);
  };

  return {
    take(key, limit) {
      const time = clock.monotonic();
      if (time >= rotateAt) {
        old = young;
        young = new Map();
        rotateAt = time + RATE_WINDOW_MS;
      }
      let window = find(key, time);
      if (window === undefined) {
        // Bounds the memory that an attacker with many addresses can fill.
        const isOwn = young.size < RATE_KEYS_MAX;
        const known = isOwn ? key : sharedKey(key);
        window = (isOwn ? undefined : find(known, time)) ?? open(known, { time, isOwn });
      }
      window.limit = limit;
      window.allowed = window.used < limit;
      if (window.allowed) {
        count(window, 1);
      } else {
        window.remaining = 0;
        window.retryAfter = Math.max(1, Math.ceil((window.endsAt - time) / 1000));
      }
      return window;
    },
    refund(key) {
      const time = clock.monotonic();
      const window = find(key, time) ?? find(sharedKey(key), time);
      if (window !== undefined && window.own > 0) count(window, -1);
    },
  };
}

/**
 * The shared window of a key that arrives when `RATE_KEYS_MAX` other keys already have windows. A salted hash chooses
 * one of 65,536, so that clients who flood the limiter rarely share a window with a given key and cannot aim at one.
 */
function sharedKey(key: string): string {
  return `shared ${hash('sha256', SALT + key).slice(0, 4)}`;
}

const SALT = randomUUID();

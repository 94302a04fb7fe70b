import { hash, randomUUID } from 'node:crypto';
import type { RateCounter, RateStore, RateVerdict } from './rate-store.ts';

/** Length of a window. */
const RATE_WINDOW_MS = 60_000;

/** Maximum number of keys of one counter that have their own windows; all further keys share 65,536 windows. */
export const RATE_KEYS_MAX = 100_000;

/** The two clocks that the store reads. */
export interface RateClock {
  /** Wall clock, milliseconds since 1970; only for the headers. */
  now(): number;
  /** Monotonic clock, milliseconds; decides when a window ends. */
  monotonic(): number;
}

const PROCESS_CLOCK: RateClock = { now: () => Date.now(), monotonic: () => performance.now() };

/** Keeps counts in this process, in fixed windows that begin with a key's first request. */
export function createMemoryRateStore(clock: RateClock = PROCESS_CLOCK): RateStore {
  return { openCounter: (_name, limit) => createCounter(limit, clock) };
}

/** One key's window. It is its own verdict, changed in place, so that counting a request allocates nothing. */
interface Window extends RateVerdict {
  allowed: boolean;
  remaining: number;
  retryAfter: number;
  readonly endsAt: number;
  readonly resetAt: number;
}

/**
 * Keeps two generations of windows. A generation lasts as long as a window: a minute. When the younger generation ends,
 * every window of the older one has therefore ended, and its whole map is dropped without a sweep.
 */
function createCounter(limit: number, clock: RateClock): RateCounter {
  let young = new Map<string, Window>();
  let old = new Map<string, Window>();
  let rotateAt = clock.monotonic() + RATE_WINDOW_MS;

  const open = (key: string, time: number): Window => {
    const window: Window = {
      allowed: true,
      limit,
      remaining: limit,
      resetAt: Math.ceil((clock.now() + RATE_WINDOW_MS) / 1000),
      retryAfter: RATE_WINDOW_MS / 1000,
      endsAt: time + RATE_WINDOW_MS,
    };
    young.set(key, window);
    return window;
  };

  const find = (key: string, time: number): Window | undefined => {
    const window = young.get(key) ?? old.get(key);
    return window !== undefined && time < window.endsAt ? window : undefined;
  };

  return {
    take(key) {
      const time = clock.monotonic();
      if (time >= rotateAt) {
        old = young;
        young = new Map();
        rotateAt = time + RATE_WINDOW_MS;
      }
      let window = find(key, time);
      if (window === undefined) {
        // Bounds the memory that an attacker with many addresses can fill.
        const known = young.size < RATE_KEYS_MAX ? key : sharedKey(key);
        window = (known === key ? undefined : find(known, time)) ?? open(known, time);
      }
      if (window.remaining > 0) {
        window.remaining -= 1;
      } else {
        window.allowed = false;
        window.retryAfter = Math.max(1, Math.ceil((window.endsAt - time) / 1000));
      }
      return window;
    },
    refund(key) {
      const time = clock.monotonic();
      const window = find(key, time) ?? find(sharedKey(key), time);
      if (window === undefined || window.remaining === window.limit) return;
      window.remaining += 1;
      window.allowed = true;
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

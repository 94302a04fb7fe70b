import { hash, randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { ApiError } from './errors.ts';
import { type HeaderList, setHeaders } from './header-list.ts';

/** What is limited: the categories of "Limits", and four of ours. */
export type RateCategory =
  | 'auth'
  | 'management'
  | 'evaluation'
  | 'ruleset'
  | 'events'
  | 'stream'
  | 'bulk'
  | 'credentials';

/** Requests a minute by category: four of the specification, and four of ours. */
export const RATE_LIMITS: Readonly<Record<RateCategory, number>> = {
  auth: 10,
  management: 1_000,
  evaluation: 10_000,
  ruleset: 100,
  events: 1_000,
  /** Streams opened by one API key. */
  stream: 60,
  /** Bulk changes, imports, exports and previews of one user. */
  bulk: 20,
  /** Invalid bearer tokens and unknown API keys from one address. */
  credentials: 60,
};

/** Every visitor can read a page's key, so all page keys together get only this part of the environment's limit. */
const PAGES_SHARE = 1 / 2;
/** One page key used from one address gets at most this part of the environment's limit. */
const VISITOR_SHARE = 1 / 10;

/** What the limiter counts: the categories, and the shares of `evaluation` for page keys. */
type Counted = RateCategory | 'evaluationByPages' | 'evaluationByVisitor';

/** Length of a window. */
const RATE_WINDOW_MS = 60_000;

/** Keys of one category with a window of their own; further ones share 65,536 windows. */
export const RATE_KEYS_MAX = 100_000;

/** The two clocks a limiter reads. */
export interface RateClock {
  /** Wall clock, milliseconds since 1970; only for the headers. */
  now(): number;
  /** Monotonic clock, milliseconds; decides when a window ends. */
  monotonic(): number;
}

/** The verdict on one request. Read it at once: the next call for the same key changes it in place. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in whole seconds, rounded up. */
  readonly resetAt: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly retryAfter: number;
}

/** Counts requests in fixed one-minute windows, one per category and key; a window begins with the key's first request. */
export interface RateLimiter {
  /** Counts one request of `key`. */
  take(category: RateCategory, key: string): RateVerdict;
  /** Counts one request and writes the headers to the reply. Throws RATE_LIMIT_EXCEEDED (429) above the limit. */
  enforce(reply: FastifyReply, category: RateCategory, key: string): void;
  /**
   * The same for an evaluation by a page's key. It counts for the visitor (key and address), then for all pages of the
   * environment, then for the environment; a request refused at one step does not count at the next. The headers show the
   * window with the fewest requests left.
   */
  enforcePageEvaluation(reply: FastifyReply, environmentId: string, visitor: string): void;
  /** Takes one counted request of `key` back. */
  refund(category: RateCategory, key: string): void;
}

export interface RateLimiterOptions {
  /** Overrides of `RATE_LIMITS`. */
  readonly limits?: Partial<Record<RateCategory, number>> | undefined;
  /** Default: the process's clocks. */
  readonly clock?: RateClock | undefined;
}

const PROCESS_CLOCK: RateClock = { now: () => Date.now(), monotonic: () => performance.now() };

export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  const clock = options.clock ?? PROCESS_CLOCK;
  const limits = { ...RATE_LIMITS, ...options.limits };
  const all: Record<Counted, number> = {
    ...limits,
    evaluationByPages: Math.ceil(limits.evaluation * PAGES_SHARE),
    evaluationByVisitor: Math.ceil(limits.evaluation * VISITOR_SHARE),
  };
  const counters = Object.fromEntries(
    Object.entries(all).map(([counted, limit]) => [counted, createCounter(limit, clock)]),
  ) as Record<Counted, Counter>;
  const enforce = (reply: FastifyReply, counted: Counted, key: string): Window => {
    const window = counters[counted].take(key);
    setHeaders(reply, limitHeaders(window));
    if (!window.allowed) throw tooMany(window);
    return window;
  };
  return {
    take: (category, key) => counters[category].take(key),
    enforce,
    enforcePageEvaluation(reply, environmentId, visitor) {
      const windows = [
        enforce(reply, 'evaluationByVisitor', visitor),
        enforce(reply, 'evaluationByPages', environmentId),
        enforce(reply, 'evaluation', environmentId),
      ];
      const [tightest] = windows.sort((one, other) => one.remaining - other.remaining);
      setHeaders(reply, limitHeaders(tightest!));
    },
    refund: (category, key) => counters[category].refund(key),
  };
}

/** The `X-RateLimit-*` headers of a verdict. */
export function limitHeaders({ limit, remaining, resetAt }: RateVerdict): HeaderList {
  return ['x-ratelimit-limit', limit, 'x-ratelimit-remaining', remaining, 'x-ratelimit-reset', resetAt];
}

function tooMany(window: Window): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many requests: at most ${window.limit} a minute. Try again in ${window.retryAfter} s.`,
    details: { limit: window.limit, retry_after: window.retryAfter, reset_at: window.resetAt },
    headers: { 'retry-after': String(window.retryAfter) },
  });
}

/** One key's window. It is its own verdict, changed in place, so that counting a request allocates nothing. */
interface Window extends RateVerdict {
  allowed: boolean;
  remaining: number;
  retryAfter: number;
  readonly endsAt: number;
  readonly resetAt: number;
}

interface Counter {
  take(key: string): Window;
  refund(key: string): void;
}

/**
 * Keeps two generations of windows. A generation lasts a minute, as long as a window, so when the younger one is full
 * every window of the older one has ended, and the whole map is dropped without a sweep.
 */
function createCounter(limit: number, clock: RateClock): Counter {
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
 * The shared window of a key that arrives when `RATE_KEYS_MAX` others are counted. A salted hash chooses one of 65,536,
 * so that clients who flood the limiter rarely share a window with a given key and cannot aim at one.
 */
function sharedKey(key: string): string {
  return `shared ${hash('sha256', SALT + key).slice(0, 4)}`;
}

const SALT = randomUUID();

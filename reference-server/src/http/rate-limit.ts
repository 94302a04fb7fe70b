import type { FastifyReply } from 'fastify';
import { ApiError } from './errors.ts';
import { type HeaderList, setHeaders } from './header-list.ts';
import { createMemoryRateStore } from './memory-rate-store.ts';
import { RATE_LIMITS, type RateCategory, type RateLimits } from './rate-limits.ts';
import type { RateCounter, RateStore, RateVerdict } from './rate-store.ts';

/** Every visitor can read a page's key, so all page keys together get only this share of the environment's limit. */
const PAGES_SHARE = 1 / 2;
/** One page key used from one address gets at most this share of the limit that the key counts against. */
const VISITOR_SHARE = 1 / 10;

/** What the limiter counts: the categories, and the shares of `evaluation` for page keys. */
type Counted = RateCategory | 'evaluationByPages' | 'evaluationByVisitor';

/** What a request counts for. */
export interface CountedFor {
  readonly key: string;
  /** A limit of its own; default: that of the category. */
  readonly limit?: number | undefined;
  /** Whether the key is a page's, which anybody can read. */
  readonly isPage?: boolean | undefined;
}

/** What an evaluation with a page's key counts for. */
export interface PageVisitor {
  readonly environmentId: string;
  readonly keyId: string;
  /** The key and the address. */
  readonly visitor: string;
  /** The key's own limit of evaluations. */
  readonly limit?: number | undefined;
}

/** Limits requests by category and key. */
export interface RateLimiter {
  /** Requests a minute by category. */
  readonly limits: RateLimits;
  /** Counts one request of `key`; `limit` replaces the category's limit. Undefined: the category is not limited. */
  take(category: RateCategory, key: string, limit?: number): RateVerdict | undefined;
  /** Counts one request and writes the headers to the reply. Throws RATE_LIMIT_EXCEEDED (429) above the limit. */
  enforce(reply: FastifyReply, category: RateCategory, by: CountedFor): void;
  /** Does what `enforce` does, exactly even when several nodes count the same key at the same moment. */
  enforceExactly(reply: FastifyReply, category: RateCategory, key: string): Promise<void>;
  /**
   * Does what `enforce` does, for an evaluation with a page's key. The request counts for the visitor (key and address), then
   * for all pages of the environment, then for the environment; a request refused at one step does not count at the
   * next. If the key has a limit of its own, the request counts for the visitor and then for the key. The headers show
   * the window with the fewest requests left.
   */
  enforcePageEvaluation(reply: FastifyReply, by: PageVisitor): void;
  /** Takes back one counted request of `key`. */
  refund(category: RateCategory, key: string): void;
}

/** A limiter that limits every category. */
export interface FullLimiter extends RateLimiter {
  take(category: RateCategory, key: string, limit?: number): RateVerdict;
}

export interface RateLimiterOptions {
  /** Overrides of `RATE_LIMITS`. */
  readonly limits?: Partial<RateLimits> | undefined;
  /** Default: in memory. */
  readonly store?: RateStore | undefined;
}

export function createRateLimiter(options: RateLimiterOptions = {}): FullLimiter {
  const store = options.store ?? createMemoryRateStore();
  const limits: RateLimits = { ...RATE_LIMITS, ...options.limits };
  const all: Record<Counted, number> = {
    ...limits,
    evaluationByPages: share(limits.evaluation, PAGES_SHARE),
    evaluationByVisitor: share(limits.evaluation, VISITOR_SHARE),
  };
  const counters = Object.fromEntries(
    Object.entries(all).map(([counted, limit]) => [counted, store.openCounter(counted, limit)]),
  ) as Record<Counted, RateCounter>;

  const answer = (reply: FastifyReply, window: RateVerdict): RateVerdict => {
    setHeaders(reply, limitHeaders(window));
    if (window.allowed) return window;
    throw tooMany(window);
  };
  const enforce = (reply: FastifyReply, counted: Counted, { key, limit }: CountedFor): RateVerdict =>
    answer(reply, counters[counted].take(key, limit));

  return {
    limits,
    take: (category, key, limit) => counters[category].take(key, limit),
    enforce,
    async enforceExactly(reply, category, key) {
      const counter = counters[category];
      answer(reply, (await counter.takeExactly?.(key)) ?? counter.take(key));
    },
    enforcePageEvaluation(reply, { environmentId, keyId, visitor, limit }) {
      const ofVisitor = limit === undefined ? undefined : share(limit, VISITOR_SHARE);
      const windows = [enforce(reply, 'evaluationByVisitor', { key: visitor, limit: ofVisitor })];
      if (limit !== undefined) {
        windows.push(enforce(reply, 'evaluation', { key: keyId, limit }));
      } else {
        windows.push(enforce(reply, 'evaluationByPages', { key: environmentId }));
        windows.push(enforce(reply, 'evaluation', { key: environmentId }));
      }
      const [tightest] = windows.sort((one, other) => one.remaining - other.remaining);
      setHeaders(reply, limitHeaders(tightest!));
    },
    refund: (category, key) => counters[category].refund(key),
  };
}

function share(limit: number, part: number): number {
  return Math.ceil(limit * part);
}

/** The names of the headers that show a limit. */
export const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

/** The `X-RateLimit-*` headers of a verdict. */
export function limitHeaders({ limit, remaining, resetAt }: RateVerdict): HeaderList {
  return ['x-ratelimit-limit', limit, 'x-ratelimit-remaining', remaining, 'x-ratelimit-reset', resetAt];
}

function tooMany(window: RateVerdict): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many requests: at most ${window.limit} a minute. Try again in ${window.retryAfter} s.`,
    details: { limit: window.limit, retry_after: window.retryAfter, reset_at: window.resetAt },
    headers: { 'retry-after': String(window.retryAfter) },
  });
}

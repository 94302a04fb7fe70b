import type { FastifyReply } from 'fastify';
import { ApiError } from './errors.ts';
import { type HeaderList, setHeaders } from './header-list.ts';
import { createMemoryRateStore } from './memory-rate-store.ts';
import type { RateCounter, RateStore, RateVerdict } from './rate-store.ts';

/** What is limited: the four categories of the specification, then four more. */
export type RateCategory =
  | 'auth'
  | 'management'
  | 'evaluation'
  | 'ruleset'
  | 'events'
  | 'stream'
  | 'bulk'
  | 'credentials';

/** Requests a minute by category. */
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

/** Every visitor can read a page's key, so all page keys together get only this share of the environment's limit. */
const PAGES_SHARE = 1 / 2;
/** One page key used from one address gets at most this share of the environment's limit. */
const VISITOR_SHARE = 1 / 10;

/** What the limiter counts: the categories, and the shares of `evaluation` for page keys. */
type Counted = RateCategory | 'evaluationByPages' | 'evaluationByVisitor';

/** Limits requests by category and key. */
export interface RateLimiter {
  /** Counts one request of `key`. */
  take(category: RateCategory, key: string): RateVerdict;
  /** Counts one request and writes the headers to the reply. Throws RATE_LIMIT_EXCEEDED (429) above the limit. */
  enforce(reply: FastifyReply, category: RateCategory, key: string): void;
  /**
   * Does what `enforce` does, for an evaluation with a page's key. The request counts for the visitor (key and address), then
   * for all pages of the environment, then for the environment; a request refused at one step does not count at the
   * next. The headers show the window with the fewest requests left.
   */
  enforcePageEvaluation(reply: FastifyReply, environmentId: string, visitor: string): void;
  /** Takes back one counted request of `key`. */
  refund(category: RateCategory, key: string): void;
}

export interface RateLimiterOptions {
  /** Overrides of `RATE_LIMITS`. */
  readonly limits?: Partial<Record<RateCategory, number>> | undefined;
  /** Default: in memory. */
  readonly store?: RateStore | undefined;
}

export function createRateLimiter(options: RateLimiterOptions = {}): RateLimiter {
  const store = options.store ?? createMemoryRateStore();
  const limits = { ...RATE_LIMITS, ...options.limits };
  const all: Record<Counted, number> = {
    ...limits,
    evaluationByPages: Math.ceil(limits.evaluation * PAGES_SHARE),
    evaluationByVisitor: Math.ceil(limits.evaluation * VISITOR_SHARE),
  };
  const counters = Object.fromEntries(
    Object.entries(all).map(([counted, limit]) => [counted, store.openCounter(counted, limit)]),
  ) as Record<Counted, RateCounter>;
  const enforce = (reply: FastifyReply, counted: Counted, key: string): RateVerdict => {
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

function tooMany(window: RateVerdict): ApiError {
  return new ApiError('RATE_LIMIT_EXCEEDED', {
    message: `Too many requests: at most ${window.limit} a minute. Try again in ${window.retryAfter} s.`,
    details: { limit: window.limit, retry_after: window.retryAfter, reset_at: window.resetAt },
    headers: { 'retry-after': String(window.retryAfter) },
  });
}

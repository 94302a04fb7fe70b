import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import type { RateCategory, RateLimits } from './rate-limits.ts';

/**
 * Limits only the categories that are named, and those of `ofPages` for the keys of pages; requests of the others are not
 * counted, and their answers have no `X-RateLimit-*` headers.
 */
export function createPartialLimiter(
  limits: Partial<RateLimits>,
  ofPages: readonly RateCategory[] = [],
): RateLimiter {
  const limiter = createRateLimiter({ limits });
  const isLimited = (category: RateCategory): boolean => limits[category] !== undefined;
  return {
    limits: limiter.limits,
    take: (category, key, limit) => (isLimited(category) ? limiter.take(category, key, limit) : undefined),
    enforce(reply, category, by) {
      const isOfPage = by.isPage === true && ofPages.includes(category);
      if (isLimited(category) || isOfPage) limiter.enforce(reply, category, by);
    },
    async enforceExactly(reply, category, key) {
      if (isLimited(category)) await limiter.enforceExactly(reply, category, key);
    },
    enforcePageEvaluation(reply, by) {
      if (isLimited('evaluation')) limiter.enforcePageEvaluation(reply, by);
    },
    refund(category, key) {
      if (isLimited(category)) limiter.refund(category, key);
    },
  };
}

import { ApiError } from './errors.ts';
import type { RateLimiter } from './rate-limit.ts';

/** The limiter, which also reports the category of each request that it refuses. */
export function countRefusals(limiter: RateLimiter, onRefused: (category: string) => void): RateLimiter {
  const report = (error: unknown, category: string): never => {
    if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') onRefused(category);
    throw error;
  };
  return {
    ...limiter,
    enforce(reply, category, by) {
      try {
        limiter.enforce(reply, category, by);
      } catch (error) {
        report(error, category);
      }
    },
    enforceExactly: (reply, category, key) =>
      limiter.enforceExactly(reply, category, key).catch((error: unknown) => report(error, category)),
    enforcePageEvaluation(reply, by) {
      try {
        limiter.enforcePageEvaluation(reply, by);
      } catch (error) {
        report(error, 'evaluation');
      }
    },
  };
}

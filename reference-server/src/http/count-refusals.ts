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
    enforce(reply, category, key) {
      try {
        limiter.enforce(reply, category, key);
      } catch (error) {
        report(error, category);
      }
    },
    enforcePageEvaluation(reply, environmentId, visitor) {
      try {
        limiter.enforcePageEvaluation(reply, environmentId, visitor);
      } catch (error) {
        report(error, 'evaluation');
      }
    },
  };
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressKey, type RateLimiter } from './rate-limit.ts';

/** One credential that a request brings and that is not in memory. */
export interface Guess {
  /** Counts it for the address, once. Throws RATE_LIMIT_EXCEEDED after too many that were wrong. */
  count(): void;
  /** Call when it was right, or could not be looked up. */
  refund(): void;
}

/**
 * Limits by address how many credentials are looked up in vain. Each is counted before its query, so that guesses that
 * arrive together are limited too, and only wrong ones stay counted.
 */
export function startGuess(limiter: RateLimiter, request: FastifyRequest, reply: FastifyReply): Guess {
  let counted: string | undefined;
  return {
    count() {
      if (counted !== undefined) return;
      const address = addressKey(request.ip);
      limiter.enforce(reply, 'credentials', address);
      counted = address;
    },
    refund() {
      if (counted !== undefined) limiter.refund('credentials', counted);
      counted = undefined;
    },
  };
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressKey } from './address-key.ts';
import { RATE_HEADERS, type RateLimiter } from './rate-limit.ts';

/** One credential that has to be looked up in the database. */
export interface Guess {
  /** Counts the attempt for the address, once. Throws RATE_LIMIT_EXCEEDED after too many wrong credentials. */
  count(): void;
  /** Takes the count back: the credential was valid, or could not be looked up. */
  refund(): void;
}

/**
 * Limits wrong credentials by address. Each attempt counts before its query, so that parallel guesses are limited too;
 * valid ones are refunded.
 */
export function startGuess(limiter: RateLimiter, request: FastifyRequest, reply: FastifyReply): Guess {
  let counted: string | undefined;
  return {
    count() {
      if (counted !== undefined) return;
      const address = addressKey(request.ip);
      limiter.enforce(reply, 'credentials', { key: address });
      counted = address;
    },
    refund() {
      if (counted === undefined) return;
      limiter.refund('credentials', counted);
      // The answer shows the limits of its own category, if there are any.
      for (const name of RATE_HEADERS) reply.removeHeader(name);
      counted = undefined;
    },
  };
}

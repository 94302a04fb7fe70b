import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { addressKey, type RateCategory, type RateLimiter } from '../http/rate-limit.ts';
import { requireAllowed } from './key-restrictions.ts';
import type { KeyGrant, RulesetLookup } from './ports.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, on the data plane's routes; null elsewhere. */
    grant: KeyGrant | null;
  }
}

/** The first hook of every data-plane route: the API key, then the limit that counts for it. */
export function createAdmission(
  lookup: RulesetLookup,
  limiter: RateLimiter,
): (category: RateCategory) => onRequestHookHandler {
  return (category) => {
    const keyOf = RATE_KEYS[category] ?? byKey;

    const admit = (
      request: FastifyRequest,
      reply: FastifyReply,
      grant: KeyGrant | undefined,
      done: HookHandlerDoneFunction,
    ): void => {
      if (grant === undefined) throw new ApiError('INVALID_API_KEY');
      if (grant.allowedOrigins !== undefined || grant.allowedIps !== undefined) {
        requireAllowed(grant, request.headers.origin, request.ip);
      }
      request.grant = grant;
      // A page shows its key to every visitor, so only keys of kind `client` belong there. Only browsers send this.
      if (grant.kind !== 'client' && request.headers['sec-fetch-site'] !== undefined)
        reply.header('x-flagsvc-warnings', 'server-key');
      limiter.enforce(reply, category, keyOf(grant, request));
      done();
    };

    return (request, reply, done) => {
      const apiKey = request.headers['x-api-key'];
      if (typeof apiKey !== 'string' || apiKey === '') throw missingKey(request);
      const grant = lookup.authenticate(apiKey);
      if (grant instanceof Promise) grant.then((found) => admit(request, reply, found, done)).catch(done);
      else admit(request, reply, grant, done);
    };
  };
}

type RateKey = (grant: KeyGrant, request: FastifyRequest) => string;

const byKey: RateKey = (grant) => grant.keyId;

const RATE_KEYS: Partial<Record<RateCategory, RateKey>> = {
  evaluation: (grant) => grant.environmentId,
  // All visitors of a page share its key: one of them must not use up what is everybody's (decision 0040).
  ruleset: (grant, request) =>
    grant.kind === 'client' ? `${grant.keyId} ${addressKey(request.ip)}` : grant.keyId,
};

function missingKey(request: FastifyRequest): ApiError {
  const hasToken = request.headers.authorization !== undefined;
  return new ApiError('UNAUTHENTICATED', {
    headers: { 'www-authenticate': 'ApiKey' },
    message: hasToken
      ? 'This endpoint takes an SDK API key in the X-API-Key header; an access token opens only the management API.'
      : 'An SDK API key is missing: send it in the X-API-Key header.',
  });
}

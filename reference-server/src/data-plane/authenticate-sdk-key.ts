import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, onRequestHookHandler } from 'fastify';
import { ApiError } from '../http/errors.ts';
import { startGuess } from '../http/guess-limit.ts';
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
  /** Limits look-ups by address: guessing keys must not cost a query each. Only a key that is not found counts. */
  const findGrant = (
    apiKey: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): ReturnType<RulesetLookup['authenticate']> => {
    const guess = startGuess(limiter, request, reply);
    const grant = lookup.authenticate(apiKey, guess.count);
    if (!(grant instanceof Promise)) return grant;
    return grant.then(
      (found) => {
        if (found !== undefined) guess.refund();
        return found;
      },
      (error: unknown) => {
        guess.refund();
        throw error;
      },
    );
  };

  return (category) => {
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
      countRequest(limiter, category, { grant, request, reply });
      done();
    };

    return (request, reply, done) => {
      const apiKey = request.headers['x-api-key'];
      if (typeof apiKey !== 'string' || apiKey === '') throw missingKey(request);
      const grant = findGrant(apiKey, request, reply);
      if (grant instanceof Promise) grant.then((found) => admit(request, reply, found, done)).catch(done);
      else admit(request, reply, grant, done);
    };
  };
}

/** All visitors of a page share its key, so each is counted by key and address; a server's key is counted alone. */
export function visitorOf(grant: KeyGrant, address: string): string {
  return grant.kind === 'client' ? `${grant.keyId} ${addressKey(address)}` : grant.keyId;
}

function countRequest(limiter: RateLimiter, category: RateCategory, of: AdmittedRequest): void {
  const { grant, request, reply } = of;
  const isPage = grant.kind === 'client';
  const visitor = visitorOf(grant, request.ip);
  if (category !== 'evaluation') limiter.enforce(reply, category, visitor);
  else if (isPage) limiter.enforcePageEvaluation(reply, grant.environmentId, visitor);
  else limiter.enforce(reply, category, grant.environmentId);
}

interface AdmittedRequest {
  readonly grant: KeyGrant;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function missingKey(request: FastifyRequest): ApiError {
  const hasToken = Boolean(request.headers.authorization);
  return new ApiError('UNAUTHENTICATED', {
    headers: { 'www-authenticate': 'ApiKey' },
    message: hasToken
      ? 'This endpoint takes an SDK API key in the X-API-Key header; an access token opens only the management API.'
      : 'An SDK API key is missing: send it in the X-API-Key header.',
  });
}

import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { addressKey } from '../http/address-key.ts';
import { ApiError } from '../http/errors.ts';
import { startGuess } from '../http/guess-limit.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { KeyRateCategory } from '../http/rate-limits.ts';
import { requireAllowed } from './key-restrictions.ts';
import type { KeyGrant, RulesetLookup } from './ports.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request's API key grants; null outside the data plane. */
    grant: KeyGrant | null;
  }
}

/** An authenticated request. */
interface GrantedRequest {
  readonly grant: KeyGrant;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Creates the first hook of every data-plane route: checks the API key, then the rate limit of the category. Requests
 * with a `purpose` are counted separately.
 */
export function createSdkKeyAuthentication(
  lookup: RulesetLookup,
  limiter: RateLimiter,
): (category: KeyRateCategory, purpose?: string) => onRequestHookHandler {
  /** Limits the failed look-ups of each client address: beyond the limit, a guessed key costs no query. */
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

  return (category, purpose) => (request, reply, done) => {
    const apiKey = request.headers['x-api-key'];
    if (typeof apiKey !== 'string' || apiKey === '') throw missingKey(request);
    const finish = (grant: KeyGrant | undefined): void => {
      if (grant === undefined) throw new ApiError('INVALID_API_KEY');
      requireUsable({ grant, request, reply });
      countRequest(limiter, { category, purpose }, { grant, request, reply });
      done();
    };
    const grant = findGrant(apiKey, request, reply);
    if (grant instanceof Promise) grant.then(finish).catch(done);
    else finish(grant);
  };
}

/**
 * The name under which requests are counted: the id of the API key and, for a client key, also the address, because all
 * visitors of a page share its key.
 */
export function visitorOf(grant: KeyGrant, address: string): string {
  return grant.kind === 'client' ? `${grant.keyId} ${addressKey(address)}` : grant.keyId;
}

function requireUsable({ grant, request, reply }: GrantedRequest): void {
  const { headers } = request;
  if (grant.allowedOrigins !== undefined || grant.allowedIps !== undefined) {
    requireAllowed(grant, headers.origin, request.ip);
  }
  request.grant = grant;
  // Only browsers send this header. A page shows its key to every visitor, so only client keys belong in browsers.
  if (grant.kind !== 'client' && headers['sec-fetch-site'] !== undefined) {
    reply.header('x-flagsvc-warnings', 'server-key');
  }
}

function countRequest(
  limiter: RateLimiter,
  { category, purpose = '' }: { readonly category: KeyRateCategory; readonly purpose?: string | undefined },
  { grant, request, reply }: GrantedRequest,
): void {
  const { keyId, environmentId } = grant;
  const limit = grant.rateLimits?.[category];
  const visitor = visitorOf(grant, request.ip);
  if (category !== 'evaluation') {
    limiter.enforce(reply, category, {
      key: `${visitor}${purpose}`,
      limit,
      isPage: grant.kind === 'client',
    });
  } else if (grant.kind === 'client') {
    limiter.enforcePageEvaluation(reply, { environmentId, keyId, visitor, limit });
  } else {
    // A key with a limit of its own does not use up that of its environment.
    limiter.enforce(reply, category, { key: limit === undefined ? environmentId : keyId, limit });
  }
}

function missingKey(request: FastifyRequest): ApiError {
  const hasToken = Boolean(request.headers.authorization);
  return new ApiError('UNAUTHENTICATED', {
    headers: { 'www-authenticate': 'ApiKey' },
    message: hasToken
      ? 'This endpoint requires an SDK API key in the X-API-Key header; access tokens are only for the management API.'
      : 'An SDK API key is missing: send it in the X-API-Key header.',
  });
}

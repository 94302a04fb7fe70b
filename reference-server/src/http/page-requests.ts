import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { addressKey } from './address-key.ts';
import { ApiError } from './errors.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { RateCategory } from './rate-limits.ts';

/** Tells the app which requests the dashboard's address passes on, and which ones the dashboard sends itself. */
export interface PageRequests {
  /** Marks a request that a page sent to the dashboard's address and that the app will answer. */
  mark(request: IncomingMessage): void;
  isMarked(request: IncomingMessage): boolean;
  /** Identifies a request that the dashboard sends on behalf of a cookie. Nobody outside of the process knows it. */
  readonly proof: Readonly<Record<string, string>>;
  isOwn(headers: IncomingHttpHeaders): boolean;
}

const PROOF_HEADER = 'x-flagsvc-dashboard-proof';

export function createPageRequests(): PageRequests {
  const marked = new WeakSet<IncomingMessage>();
  const proof = randomUUID();
  return {
    mark: (request) => void marked.add(request),
    isMarked: (request) => marked.has(request),
    proof: { [PROOF_HEADER]: proof },
    isOwn: (headers) => headers[PROOF_HEADER] === proof,
  };
}

/**
 * Keeps refresh tokens away from the scripts of the dashboard's pages: on its address, every operation whose answer has
 * one is refused. Also takes back the count of a page that renews its access token. Applies to routes that are registered
 * afterwards.
 */
export function guardPages(
  app: FastifyInstance,
  { pages, limiter }: { readonly pages: PageRequests; readonly limiter: RateLimiter },
): void {
  app.addHook('onRoute', (route) => {
    if (!answersRefreshToken(route)) return;
    route.onRequest = [
      (request, _reply, done) => {
        if (!pages.isMarked(request.raw)) return done();
        const message = `Pages of the dashboard open sessions by POST ${route.url.replace(/^\/api\/v1/, '')}, which keeps the refresh token in a cookie. Programs use the API's own address.`;
        done(new ApiError('NOT_FOUND', { message }));
      },
      ...[route.onRequest ?? []].flat(),
    ];
  });
  app.addHook('onRoute', (route) => {
    if ((route.schema as { operationId?: string } | undefined)?.operationId !== 'refresh') return;
    route.onResponse = [
      ...[route.onResponse ?? []].flat(),
      (request, reply, done) => {
        const isValid = reply.statusCode === 200 && pages.isOwn(request.headers);
        if (isValid) limiter.refund(RENEWAL, addressKey(request.ip));
        done();
      },
    ];
  });
}

/** Renewals of pages count as other credentials do. */
const RENEWAL: RateCategory = 'credentials';

/**
 * The limit by address that a request counts against. All people behind one address share the limit for logins: one who
 * mistypes a password must not keep the pages of the others from renewing their access tokens.
 */
export function limitOfAddress(pages: PageRequests | undefined, request: FastifyRequest): RateCategory {
  const isRenewal = request.routeOptions.url?.endsWith('/auth/refresh') && pages?.isOwn(request.headers);
  return isRenewal ? RENEWAL : 'auth';
}

function answersRefreshToken({ schema }: RouteOptions): boolean {
  return JSON.stringify(schema?.response ?? {}).includes('"refresh_token"');
}

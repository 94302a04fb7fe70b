import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
import { addressKey } from '../../http/address-key.ts';
import { bearerOf } from '../../http/bearer.ts';
import { ApiError, type ErrorDetails } from '../../http/errors.ts';
import { startGuess } from '../../http/guess-limit.ts';
import type { RateLimiter } from '../../http/rate-limit.ts';
import type { RateCategory } from '../../http/rate-limits.ts';
import type { Actor, Origin } from './actor.ts';
import { requireSomewhere } from './permissions.ts';
import { originOf } from './request-actor.ts';
import type { Permission } from './roles.ts';
import type { Access, RouteEntry } from './route-access.ts';

export interface AccessOptions {
  /** Resolves a bearer token to its actor. Throws TOKEN_EXPIRED, INVALID_TOKEN, and any error of `beforeQuery`. */
  readonly authenticate: (accessToken: string, origin: Origin, beforeQuery: () => void) => Promise<Actor>;
  readonly limiter: RateLimiter;
  /** The limit by address that a request without a credential counts against; default `auth`. */
  readonly limitOfAddress?: (request: FastifyRequest) => RateCategory;
  /** Called once for each request that is refused with INSUFFICIENT_PERMISSIONS. */
  readonly onRefused?: (actor: Actor, refused: RefusedRequest) => Promise<void>;
}

/** A request that the actor has no permission for. */
export interface RefusedRequest {
  readonly operationId: string;
  readonly details: ErrorDetails;
}

/**
 * Checks access to every route registered on `app` afterwards, before its body is read. No other code authenticates
 * users.
 */
export function registerAccess(app: FastifyInstance, options: AccessOptions): void {
  const { limiter, onRefused } = options;
  const routeTable: RouteEntry[] = [];
  app.decorate('routeTable', routeTable);
  app.decorateRequest('actor', null);
  app.addHook('onRoute', (route) => {
    route.onRequest = [...hooksOf(route.config), ...[route.onRequest ?? []].flat()];
    for (const method of [route.method].flat()) {
      // Fastify adds a HEAD route for each GET.
      if (method !== 'HEAD') routeTable.push(describeRoute({ ...route, method }));
    }
  });
  if (onRefused !== undefined) reportRefusals(app, onRefused);

  /** The hooks that a route needs; none for the data plane, whose requests must not pay for them. */
  function hooksOf({ access, limitByIp }: FastifyContextConfig = {}): onRequestHookHandler[] {
    const hooks: onRequestHookHandler[] = [];
    if (limitByIp === true) {
      hooks.push((request, reply, done) => {
        const category = options.limitOfAddress?.(request) ?? 'auth';
        limiter.enforceExactly(reply, category, addressKey(request.ip)).then(() => done(), done);
      });
    }
    if (access !== 'public' && access !== 'apiKey') {
      const permission = access as Permission | undefined;
      hooks.push((request, reply, done) => {
        authorize(options, { request, reply, permission }).then(() => done(), done);
      });
    }
    return hooks;
  }
}

function describeRoute(route: {
  readonly method: string;
  readonly url: string;
  readonly config?: FastifyContextConfig;
  readonly schema?: object;
}): RouteEntry {
  const { method, url, config, schema } = route;
  const { operationId } = (schema ?? {}) as { operationId?: string };
  const access = config?.access as Access | undefined;
  return { method, url, operationId, access, writes: config?.writes === true };
}

/** Authenticates a request, counts it against the limits and checks its permission. */
async function authorize(
  { authenticate, limiter }: AccessOptions,
  of: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly permission: Permission | undefined;
  },
): Promise<void> {
  const { request, reply, permission } = of;
  const guess = startGuess(limiter, request, reply);
  const actor = await authenticate(readBearerToken(request), originOf(request), guess.count).catch(
    (error) => {
      // An expired token is not an attempt to guess one.
      if (error instanceof ApiError && error.code === 'INVALID_TOKEN') guess.count();
      else guess.refund();
      throw error;
    },
  );
  guess.refund();
  request.actor = actor;
  limiter.enforce(reply, 'management', { key: actor.organizationId });
  const { rateCategory } = request.routeOptions.config;
  if (rateCategory !== undefined) {
    limiter.enforce(reply, rateCategory, { key: actor.id ?? actor.organizationId });
  }
  if (permission !== undefined) requireSomewhere(actor, permission);
}

function reportRefusals(app: FastifyInstance, onRefused: NonNullable<AccessOptions['onRefused']>): void {
  app.addHook('onError', async (request, _reply, error) => {
    if (request.actor === null || !(error instanceof ApiError)) return;
    if (error.code !== 'INSUFFICIENT_PERMISSIONS') return;
    const { url = '', schema = {} } = request.routeOptions;
    const { operationId = url } = schema as { operationId?: string };
    await onRefused(request.actor, { operationId, details: error.details });
  });
}

function readBearerToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  // An empty header counts as absent.
  if (!authorization) {
    throw unauthenticated(
      request.headers['x-api-key']
        ? 'This endpoint does not accept SDK API keys; send an access token: "Authorization: Bearer <ACCESS_TOKEN>".'
        : 'Send an access token: "Authorization: Bearer <ACCESS_TOKEN>".',
    );
  }
  const token = bearerOf(authorization);
  if (token !== undefined) return token;
  throw unauthenticated('The Authorization header must read "Bearer <ACCESS_TOKEN>".');
}

function unauthenticated(message: string): ApiError {
  return new ApiError('UNAUTHENTICATED', { message });
}

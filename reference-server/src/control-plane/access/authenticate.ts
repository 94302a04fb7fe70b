import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
import { bearerOf } from '../../http/bearer.ts';
import { ApiError, type ErrorDetails } from '../../http/errors.ts';
import { startGuess } from '../../http/guess-limit.ts';
import { addressKey, type RateLimiter } from '../../http/rate-limit.ts';
import type { Actor, Origin, Via } from './actor.ts';
import { requireSomewhere } from './permissions.ts';
import type { Permission } from './roles.ts';

/**
 * Who may call a route, declared on it as `config: { access }`: everyone, the holder of an SDK API key (the data
 * plane checks it), or a user whose role has the permission. A route that declares nothing needs a user.
 */
export type Access = 'public' | 'apiKey' | Permission;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** True for the credential-less routes that count against the limit per IP address ("Limits: Auth endpoints"). */
    limitByIp?: boolean;
    /** True when the route writes through the gate with `changeOptions`. */
    writes?: boolean;
  }
  interface FastifyInstance {
    /** Every route that was registered after `registerAccess`. */
    readonly routeTable: readonly RouteEntry[];
  }
  interface FastifyRequest {
    /** Set when the route's access is a permission; read it with `actorOf`. */
    actor: Actor | null;
  }
}

export interface AccessOptions {
  /** Finds who a bearer token speaks for; throws TOKEN_EXPIRED or INVALID_TOKEN, and what `beforeQuery` throws. */
  readonly authenticate: (accessToken: string, origin: Origin, beforeQuery: () => void) => Promise<Actor>;
  readonly limiter: RateLimiter;
  /** Hears of a user who was refused by INSUFFICIENT_PERMISSIONS, once for each answer. */
  readonly onRefused?: (actor: Actor, refused: RefusedRequest) => Promise<void>;
}

/** What a user has tried and may not do. */
export interface RefusedRequest {
  readonly operationId: string;
  readonly details: ErrorDetails;
}

/** One route as it was registered. */
export interface RouteEntry {
  readonly method: string;
  /** With parameters as `:name`. */
  readonly url: string;
  readonly operationId: string | undefined;
  /** Undefined: any user. */
  readonly access: Access | undefined;
  /** True when it takes the headers of `changeOptions`. */
  readonly writes: boolean;
}

/** The one place where access is checked: before the body is read, for every route of `app`. Register it first. */
export function registerAccess(
  app: FastifyInstance,
  { authenticate, limiter, onRefused }: AccessOptions,
): void {
  const routeTable: RouteEntry[] = [];
  app.decorate('routeTable', routeTable);
  app.addHook('onRoute', (options) => {
    const { method, url, config, schema } = options;
    options.onRequest = [...guardsOf(config), ...[options.onRequest ?? []].flat()];
    for (const one of [method].flat()) {
      // Fastify answers HEAD by each GET.
      if (one === 'HEAD') continue;
      const { operationId } = (schema ?? {}) as { operationId?: string };
      routeTable.push({
        method: one,
        url,
        operationId,
        access: config?.access,
        writes: config?.writes === true,
      });
    }
  });
  app.decorateRequest('actor', null);
  const admit = async (
    request: FastifyRequest,
    reply: FastifyReply,
    permission?: Permission,
  ): Promise<void> => {
    const guess = startGuess(limiter, request, reply);
    const actor = await authenticate(bearerToken(request), originOf(request), guess.count).catch((error) => {
      // An expired token is not a guess.
      if (error instanceof ApiError && error.code === 'INVALID_TOKEN') guess.count();
      else guess.refund();
      throw error;
    });
    guess.refund();
    request.actor = actor;
    limiter.enforce(reply, 'management', actor.organizationId);
    const { rateCategory } = request.routeOptions.config;
    if (rateCategory !== undefined) limiter.enforce(reply, rateCategory, actor.id ?? actor.organizationId);
    if (permission !== undefined) requireSomewhere(actor, permission);
  };
  /** Decided once for each route, HEAD by itself: what the data plane is asked passes here without a look. */
  const guardsOf = ({ access, limitByIp }: FastifyContextConfig = {}): onRequestHookHandler[] => {
    const guards: onRequestHookHandler[] = [];
    if (limitByIp === true) {
      guards.push((request, reply, done) => {
        limiter.enforce(reply, 'auth', addressKey(request.ip));
        done();
      });
    }
    if (access !== 'public' && access !== 'apiKey') {
      guards.push((request, reply, done) => void admit(request, reply, access).then(() => done(), done));
    }
    return guards;
  };
  if (onRefused === undefined) return;
  app.addHook('onError', async (request, _reply, error) => {
    if (request.actor === null || !(error instanceof ApiError)) return;
    if (error.code !== 'INSUFFICIENT_PERMISSIONS') return;
    const { operationId = request.routeOptions.url ?? '' } = (request.routeOptions.schema ?? {}) as {
      operationId?: string;
    };
    await onRefused(request.actor, { operationId, details: error.details });
  });
}

/** The user behind a request; only routes with a permission have one. */
export function actorOf(request: FastifyRequest): Actor {
  if (request.actor === null) throw new Error('This route declares no permission, so it has no actor');
  return request.actor;
}

export function originOf(request: FastifyRequest): Origin {
  const userAgent = request.headers['user-agent'];
  return {
    via: viaOf(request),
    requestId: request.id,
    ip: request.ip,
    userAgent: userAgent === undefined ? null : userAgent.slice(0, 500),
  };
}

const CLIENTS: ReadonlySet<Via> = new Set<Via>(['dashboard', 'cli', 'mcp']);

/** Our own clients name themselves in `X-FlagSvc-Client`; it is their word, and only told in the audit log. */
function viaOf({ headers }: FastifyRequest): Via {
  const client = headers['x-flagsvc-client'] as Via;
  return CLIENTS.has(client) ? client : 'api';
}

function bearerToken(request: FastifyRequest): string {
  const { authorization } = request.headers;
  // An empty header is none (decisions/0033).
  if (!authorization) {
    throw unauthenticated(
      request.headers['x-api-key']
        ? 'An SDK API key does not open this endpoint; send an access token: "Authorization: Bearer <ACCESS_TOKEN>".'
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

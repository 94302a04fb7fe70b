import type { Permission } from './roles.ts';

/**
 * The callers that a route accepts, set as `config: { access }`: everyone, holders of an SDK API key (checked by the data
 * plane), or users with the permission. Default: any authenticated user.
 */
export type Access = 'public' | 'apiKey' | Permission;

/** A registered route. */
export interface RouteEntry {
  readonly method: string;
  /** The path of the route, with parameters as `:name`. */
  readonly url: string;
  readonly operationId: string | undefined;
  /** Undefined: any authenticated user. */
  readonly access: Access | undefined;
  /** True when the route accepts the headers of `changeOptions`. */
  readonly writes: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** True for public routes that are limited by IP address ("Limits: Auth endpoints"). */
    limitByIp?: boolean;
    /** True when the route takes the headers of `changeOptions`. */
    writes?: boolean;
  }
  interface FastifyInstance {
    /** Every route that was registered after `registerAccess`. */
    readonly routeTable: readonly RouteEntry[];
  }
}

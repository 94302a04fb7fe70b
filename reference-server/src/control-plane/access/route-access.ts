import type { RouteAccess } from '../../http/route-access.ts';
import type { Permission } from './roles.ts';

/** `RouteAccess` with the permissions that exist. */
export type Access = Extract<RouteAccess, 'public' | 'apiKey'> | Permission;

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

/**
 * The callers that a route accepts, set as `config: { access }`: everyone, holders of an SDK API key (checked by the data
 * plane), or users with a permission, such as `flag.read`. Default: any authenticated user.
 */
export type RouteAccess = 'public' | 'apiKey' | `${string}.${string}`;

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: RouteAccess;
  }
}

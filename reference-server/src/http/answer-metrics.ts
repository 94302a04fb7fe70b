import type { FastifyContextConfig, FastifyInstance, onResponseHookHandler } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the operation in metrics and traces. Default: the operation id of the route's schema. */
    operation?: string;
  }
}

/** The part of the API that a route belongs to. */
export type Plane = 'management' | 'data' | 'public';

/** Counts one answer of one operation. Must not throw and must return quickly. */
export type CountAnswer = (status: number, elapsedMs: number) => void;

/** Creates the counter of one operation; called once for each route. */
export type OpenOperation = (operation: string, plane: Plane) => CountAnswer;

/** The name under which requests to unknown paths are counted. */
export const UNKNOWN_OPERATION = 'unknown';

/**
 * Counts every answer of `app` by the operation of its route. Call it before the routes are registered. A stream counts
 * with no time, because its answer lasts as long as the client stays.
 */
export function countAnswers(app: FastifyInstance, open: OpenOperation): void {
  const countUnknown = open(UNKNOWN_OPERATION, 'public');
  app.addHook('onRoute', (route) => {
    const config = (route.config ?? {}) as FastifyContextConfig;
    const count = open(operationOf(config, route.schema), planeOf(config));
    const isStream = config.rateCategory === 'stream';
    // A hook of the route, because a hook of the app would have to look up the route of each answer.
    const hook: onResponseHookHandler = (_request, reply, done) => {
      count(reply.statusCode, isStream && reply.statusCode === 200 ? 0 : reply.elapsedTime);
      done();
    };
    route.onResponse = [hook, ...[route.onResponse ?? []].flat()];
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) countUnknown(reply.statusCode, reply.elapsedTime);
    done();
  });
}

/** The name of a route's operation in metrics and traces. */
export function operationOf(config: FastifyContextConfig | undefined, schema: unknown): string {
  const { operationId } = (schema ?? {}) as { readonly operationId?: string };
  return config?.operation ?? operationId ?? UNKNOWN_OPERATION;
}

function planeOf({ access }: FastifyContextConfig): Plane {
  return access === 'apiKey' ? 'data' : access === 'public' ? 'public' : 'management';
}

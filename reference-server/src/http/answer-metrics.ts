import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server, ServerResponse } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the operation in metrics and traces. Default: the operation id of the route's schema. */
    operation?: string;
    /** Counts an answer of this route; set by `countAnswers`. */
    countAnswer?: CountAnswer;
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

/** A request that is being answered, by its response. */
const STARTED = Symbol('started request');

interface Started {
  readonly request: FastifyRequest;
  /** On the clock of `performance.now()`. */
  readonly at: number;
}

type StartedResponse = ServerResponse & { [STARTED]?: Started };

/**
 * Counts every answer of `app` by the operation of its route. Call it before the routes and other hooks are registered.
 * A stream counts with no time, because its answer lasts as long as the client stays. Answers of `app.inject` are not
 * counted.
 */
export function countAnswers(app: FastifyInstance, open: OpenOperation): void {
  const countUnknown = open(UNKNOWN_OPERATION, 'public');
  app.addHook('onRoute', (route) => {
    const config = (route.config ?? {}) as FastifyContextConfig;
    const operation = operationOf(config, route.schema);
    route.config = { ...config, operation, countAnswer: open(operation, planeOf(config)) };
  });
  app.addHook('onRequest', (request, reply, done) => {
    (reply.raw as StartedResponse)[STARTED] = { request, at: performance.now() };
    done();
  });
  // With a hook `onResponse`, Fastify would add and remove two listeners for each request, which costs more than all of
  // this.
  const onFinish = (message: unknown): void => {
    const { server, response } = message as { readonly server: Server; readonly response: StartedResponse };
    const started = response[STARTED];
    if (server !== app.server || started === undefined) return;
    const { countAnswer = countUnknown, rateCategory } = started.request.routeOptions.config;
    const isStream = rateCategory === 'stream' && response.statusCode === 200;
    countAnswer(response.statusCode, isStream ? 0 : performance.now() - started.at);
  };
  subscribe(FINISHED, onFinish);
  app.addHook('onClose', async () => void unsubscribe(FINISHED, onFinish));
}

/** Node publishes each answer of an HTTP server on this channel when its last byte was handed to the socket. */
const FINISHED = 'http.server.response.finish';

/** The name of a route's operation in metrics and traces. */
export function operationOf(config: FastifyContextConfig | undefined, schema: unknown): string {
  const { operationId } = (schema ?? {}) as { readonly operationId?: string };
  return config?.operation ?? operationId ?? UNKNOWN_OPERATION;
}

function planeOf({ access }: FastifyContextConfig): Plane {
  return access === 'apiKey' ? 'data' : access === 'public' ? 'public' : 'management';
}

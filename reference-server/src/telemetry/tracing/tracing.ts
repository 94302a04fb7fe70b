import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Outbound } from '../../outbound/outbound.ts';
import type { DatabaseObserver } from '../../storage/activity.ts';

/** Records a span for each operation, and below it one for each statement; also one for each call of a webhook. */
export interface Tracing {
  /** Traces the requests of `app`, as children of the span in `traceparent`. Call it before routes are registered. */
  traceRequests(app: FastifyInstance): void;
  /** The id of the trace that a request belongs to; undefined before `traceRequests` has seen it. */
  readonly traceIdOf: (request: FastifyRequest) => string | undefined;
  /** Records an unchanged poll, which no hook of the app sees. */
  readonly tracePoll: (request: IncomingMessage, startedAt: number) => void;
  /** Records the statements that an operation runs. */
  readonly database: DatabaseObserver;
  /** The outbound port, which also records each request and passes the trace on in `traceparent`. */
  traceOutbound(outbound: Outbound): Outbound;
}

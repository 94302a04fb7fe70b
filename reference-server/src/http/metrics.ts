import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The server's metrics; only when `buildServer` gets `createMetrics`. */
    readonly metrics?: MetricsRegistry;
  }
}

/** Facts about the server that metrics show. */
export interface MetricsFacts {
  readonly version: string;
  readonly mode: string;
  /** False while the latest change of some environment could not be published. */
  readonly isPublishing: () => boolean;
}

/** Part of the API that a route belongs to. */
export type Plane = 'management' | 'data' | 'public';

/** Records one answer. */
export type CountAnswer = (plane: Plane, status: number, elapsedMs: number) => void;

/** Records what the server does, and renders it for a scrape. */
export interface MetricsRegistry {
  /** Called once per answer; must not throw and must return quickly. */
  readonly countAnswer: CountAnswer;
  /** Media type of the rendered text. */
  readonly contentType: string;
  render(): string | Promise<string>;
  close(): void;
}

/** Records every answer of `app` by plane and status. */
export function countRequests(app: FastifyInstance, metrics: MetricsRegistry): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { access } = request.routeOptions.config;
    const plane = access === 'apiKey' ? 'data' : access === 'public' ? 'public' : 'management';
    metrics.countAnswer(plane, reply.statusCode, reply.elapsedTime);
    done();
  });
  app.addHook('onClose', async () => metrics.close());
  app.decorate('metrics', metrics);
}

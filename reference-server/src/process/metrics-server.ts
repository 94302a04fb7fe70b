import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { MetricsRegistry } from '../telemetry/metrics/metrics-registry.ts';

// Importing node:http would also load undici, which takes memory of every relay.
const { createServer } = process.getBuiltinModule('node:http');

export interface MetricsServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly metrics: Pick<MetricsRegistry, 'render' | 'contentType'>;
}

/**
 * Serves `GET /metrics` on a port of its own, so that only the monitoring system needs access to it. Does not keep the
 * process running. Rejects when it cannot listen.
 */
export async function startMetricsServer({ host, port, metrics }: MetricsServerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics')
      void send(metrics, response);
    else response.writeHead(404).end();
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server.unref();
}

async function send(metrics: MetricsServerOptions['metrics'], response: ServerResponse): Promise<void> {
  try {
    const text = await metrics.render();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}

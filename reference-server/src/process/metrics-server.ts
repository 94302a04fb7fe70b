import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

export interface MetricsServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The metrics in the text format of Prometheus. */
  readonly metrics: () => string;
}

/**
 * Serves `GET /metrics` on a port of its own, so that only the monitoring system needs access to it. Does not keep the
 * process running. Rejects when it cannot listen.
 */
export async function startMetricsServer({ host, port, metrics }: MetricsServerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    const isFound = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    response.writeHead(isFound ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(isFound ? metrics() : '');
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server.unref();
}

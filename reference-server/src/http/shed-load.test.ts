import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { isTooMuch, shedLoad } from './shed-load.ts';

test.each([
  // A single long loop is one long task, not a queue.
  [150, 1, false, false],
  [5, 2, false, false],
  [70, 2, true, false],
  [150, 2, true, true],
])(
  'with a loop of %d ms and %d long loops in a row, refuses management: %s, the data plane: %s',
  (loopMs, longLoops, management, dataPlane) => {
    expect(isTooMuch({ loopMs, longLoops }, 'management')).toBe(management);
    expect(isTooMuch({ loopMs, longLoops }, 'data plane')).toBe(dataPlane);
  },
);

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

test('refuses requests while there is a queue, management first and health checks never, and serves again afterwards', async () => {
  const server = Fastify();
  app = server;
  shedLoad(server);
  const work = (): string => {
    const end = performance.now() + 12;
    while (performance.now() < end);
    return 'done';
  };
  server.get('/management', work);
  server.get('/sdk/ruleset', { config: { access: 'apiKey' } }, work);
  server.get('/health', { config: { access: 'public' } }, work);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const counts: Record<string, { served: number; refused: number }> = {};
  const sendRequests = async (path: string): Promise<void> => {
    counts[path] ??= { served: 0, refused: 0 };
    for (let count = 0; count < 8; count++) {
      const response = await fetch(`${base}${path}`);
      const text = await response.text();
      if (response.status === 200) counts[path].served += 1;
      else {
        counts[path].refused += 1;
        expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
        const { code, details } = JSON.parse(text).error;
        expect([code, details]).toEqual(['SERVICE_UNAVAILABLE', { reason: 'overloaded' }]);
      }
    }
  };
  const paths = ['/management', '/sdk/ruleset', '/health'];
  await Promise.all(Array.from({ length: 36 }, (_, index) => sendRequests(paths[index % 3]!)));
  const [management, ruleset, health] = paths.map((path) => counts[path]!);
  expect(health!.refused).toBe(0);
  expect(management!.refused).toBeGreaterThan(0);
  expect(management!.refused).toBeGreaterThanOrEqual(ruleset!.refused);
  expect(ruleset!.served).toBeGreaterThan(0);
  expect((await fetch(`${base}/management`)).status).toBe(200);
});

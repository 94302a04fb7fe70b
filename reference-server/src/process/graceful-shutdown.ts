import type { ServerResponse } from 'node:http';
import { Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Longer than a request is under way, and than it lies unread while the process does something else. */
const FAREWELL_MS = 500;
const LOOK_MS = 10;

/**
 * Tells everybody before their connection is closed. A server that closes what seems idle to it resets requests that
 * are on their way, and nobody can say what became of a write. So all are answered while the app closes, with
 * `Connection: close`, until nobody is connected or `FAREWELL_MS` have passed. Call it last, before the app is ready.
 */
export function sayFarewell(app: FastifyInstance): void {
  const newest = new Map<Socket, ServerResponse | undefined>();
  app.server.on('connection', (socket) => {
    newest.set(socket, undefined);
    socket.once('close', () => newest.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => {
    if (newest.has(socket)) newest.set(socket, response);
  });
  // Of a child that comes last, so that streams have heard their goodbye before.
  app.register(async (last) => {
    last.addHook('preClose', async () => {
      // The framework tells who asks from now on; these have asked before.
      for (const response of newest.values())
        if (response?.headersSent === false) response.setHeader('connection', 'close');
      // That of HTTP would reset what seems idle, now.
      Server.prototype.close.call(app.server);
      const end = performance.now() + FAREWELL_MS;
      while (newest.size > 0 && performance.now() < end) await setTimeout(LOOK_MS);
    });
  });
}

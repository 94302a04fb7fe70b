import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Work that a signal interrupts has this long to finish; then the process ends. */
const SHUTDOWN_LIMIT_MS = 10_000;
/**
 * Connections that are still open after this time are closed. Node counts a connection that has not sent a request yet
 * as busy, so it would block the shutdown.
 */
const CONNECTION_LIMIT_MS = 3_000;
/**
 * How long open connections may still send requests. It exceeds the time that a request takes to arrive, and the time
 * for which a busy process may leave a request unread.
 */
const DRAIN_MS = 500;
const DRAIN_POLL_MS = 10;
const PARENT_POLL_MS = 250;

/**
 * Keeps answering requests while the app closes, with `Connection: close`, until no connection is left or `DRAIN_MS`
 * have passed. Without this, Node resets idle connections at once, so a request on its way to the server gets no
 * answer, and the client cannot know whether a write happened. `servers` are the app's own and those that pass
 * requests on to it. Call it last, before the app is ready.
 */
export function drainConnections(app: FastifyInstance, servers: readonly Server[]): void {
  const latestResponse = new Map<Socket, ServerResponse | undefined>();
  for (const server of servers) {
    server.on('connection', (socket) => {
      latestResponse.set(socket, undefined);
      socket.once('close', () => latestResponse.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      if (latestResponse.has(socket)) latestResponse.set(socket, response);
    });
  }
  // Registered last, so that its `preClose` hook runs after streams have ended with their goodbye.
  app.register(async (last) => {
    last.addHook('preClose', async () => {
      // Fastify adds the header only to the answers of later requests; these requests arrived earlier.
      for (const response of latestResponse.values())
        if (response?.headersSent === false) response.setHeader('connection', 'close');
      // Stops accepting connections. The HTTP server's own `close` would also reset idle connections.
      for (const server of servers) NetServer.prototype.close.call(server);
      const end = performance.now() + DRAIN_MS;
      while (latestResponse.size > 0 && performance.now() < end) await sleep(DRAIN_POLL_MS);
    });
  });
}

/** Closes the app, cutting connections of its servers that are still open after 3 seconds. */
export async function closeApp(app: FastifyInstance, servers: readonly Server[]): Promise<void> {
  const limit = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, CONNECTION_LIMIT_MS);
  await app.close();
  clearTimeout(limit);
  for (const server of servers) server.closeAllConnections();
}

/**
 * Calls `stop` at the first SIGTERM or SIGINT and ends the process when it has finished. A second signal ends the
 * process immediately with status 1, and so does a timeout of 10 seconds. With `parent`, the end of this parent process
 * counts as the first signal.
 */
export function stopOnSignal(stop: () => Promise<void>, parent?: number): void {
  let isStopping = false;
  const endWith = (message: string): never => {
    process.stderr.write(`${message}\n`);
    process.exit(1);
  };
  const onSignal = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    setTimeout(
      () => endWith('flagsvc did not stop in time: something is still running'),
      SHUTDOWN_LIMIT_MS,
    ).unref();
    stop().then(
      () => process.exit(0),
      (error: Error) => endWith(`flagsvc did not stop cleanly: ${error.message}`),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  if (parent === undefined) return;
  const hasEnded = () => process.ppid !== parent && !isStopping;
  setInterval(() => hasEnded() && onSignal(), PARENT_POLL_MS).unref();
}

import { createServer } from 'node:http';

/** The first of the ports that the receiver tries, so that a kept shop finds it again. */
const PORT = 48_630;
const TRIES = 40;

/** A receiver of webhooks in this process: `/warehouse` answers 503, every other path 204. */
export interface Warehouse {
  readonly port: number;
  close(): Promise<void>;
}

export async function openWarehouse(): Promise<Warehouse> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.url?.startsWith('/warehouse')) response.writeHead(503).end('Stocktaking, back at 18:00');
      else response.writeHead(204).end();
    });
  });
  const listen = (port: number) =>
    new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
  let port = PORT;
  while (!(await listen(port))) {
    port++;
    if (port === PORT + TRIES)
      throw new Error(`No port from ${PORT} to ${port} is free for the receiver of webhooks.`);
  }
  return {
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

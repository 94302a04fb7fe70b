import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { deadline } from '../../conformance/src/suite/slowdown.ts';

/** A request as it arrived, with its body decompressed. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request, leaves it pending, or destroys its socket. */
export type Answer = (arrival: Arrival, response: ServerResponse, socket: Socket) => void;

/** A real server on the loopback address whose answers are set by path. */
export interface LoopbackServer {
  /** The server's address with the prefix `/api/v1`. */
  readonly baseUrl: string;
  /** Sets the answer of a path below the prefix. */
  on(path: string, answer: Answer): void;
  arrivals(path?: string): readonly Arrival[];
  connections(): number;
  isOpen(): boolean;
  /** Ends every open connection. */
  drop(): void;
  close(): Promise<void>;
}

export const startLoopbackServer = async (port = 0): Promise<LoopbackServer> => {
  const answers = new Map<string, Answer>();
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      const path = (request.url ?? '').replace('/api/v1', '').split('?', 1)[0]!;
      const arrival = { method: request.method ?? '', path, headers: request.headers, body: body.toString() };
      arrivals.push(arrival);
      const answer = answers.get(path);
      if (answer) answer(arrival, response, request.socket);
      else response.writeHead(404).end();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    on: (path, answer) => void answers.set(path, answer),
    arrivals: (path) => arrivals.filter((arrival) => path === undefined || arrival.path === path),
    connections: () => sockets.size,
    isOpen: () => server.listening,
    drop,
    async close() {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Answers with JSON. If a tag is given, sends it as `ETag` and answers 304 to a request with the same tag. */
export const json =
  (body: unknown, tag?: string): Answer =>
  ({ headers }, response) => {
    if (tag && headers['if-none-match'] === tag) response.writeHead(304).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json', ...(tag && { etag: tag }) })
        .end(JSON.stringify(body));
  };

/** Waits for a condition: at most `limitMs` on a quiet machine, longer on a busy one. */
export const until = async (isTrue: () => boolean, limitMs = 15_000): Promise<void> => {
  const isOver = deadline(limitMs);
  while (!isTrue()) {
    if (isOver()) throw new Error(`not true within ${limitMs} ms: ${isTrue}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { isObject } from '../suite/json-value.ts';
import { type Endpoint, prepare, type Reply } from './replies.ts';
import { isHeld, type Sending, sendReply } from './send-reply.ts';
import { createTraps, type Trap } from './tls-faults.ts';

/** One request, as it came. */
export interface SeenRequest {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent. */
  readonly bytes: Buffer;
  /** Unpacked and parsed; undefined when there is none, a text when it is not JSON. */
  readonly body: unknown;
  /** The `X-API-Key` that it came with. */
  readonly key: string | undefined;
  /** Scenario time; stamped once the clock stands still. */
  at: number | undefined;
  /** True when an earlier request of the same key to the same endpoint was still unanswered. */
  readonly overlapping: boolean;
  /** How it is answered; undefined where a trap does that. */
  readonly reply: Reply | undefined;
}

/** A control plane on loopback that plays a script and keeps every request. */
export interface ScriptedPlane {
  /** With the prefix, as an SDK is given it. */
  readonly baseUrl: string;
  /** Every request so far, in order. */
  readonly requests: readonly SeenRequest[];
  /** The base address where nothing is secure that should be. */
  trap(trap: Trap): Promise<string>;
  /** Adds replies; with `key`, only for requests with that key. The last reply repeats. */
  queue(endpoint: Endpoint, replies: readonly Reply[], key?: string): void;
  /** Requests that are unanswered on purpose, and open streams. */
  held(): number;
  /** Streams that are open. */
  streams(): number;
  /** Writes to every open stream; undefined ends them. */
  push(bytes: Buffer | undefined): void;
  /** Nobody listens any more: connections are refused, open ones reset. */
  down(): Promise<void>;
  /** Listens again, at the same address. */
  up(): Promise<void>;
  close(): Promise<void>;
}

const PATHS: Readonly<Record<string, Endpoint>> = {
  'GET /api/v1/sdk/ruleset': 'ruleset',
  'POST /api/v1/sdk/events': 'events',
  'GET /api/v1/sdk/stream': 'stream',
  'POST /api/v1/evaluate': 'evaluate',
};

/** What an endpoint answers that the script does not mention. */
const USUAL: Readonly<Record<Endpoint, Reply>> = {
  ruleset: { status: 503 },
  events: { status: 202 },
  stream: { status: 404 },
  evaluate: { status: 503 },
  elsewhere: { status: 404 },
};

/** A batch that no server has to read (decisions/0012); whatever the script says. */
const isTooLong = (body: unknown): boolean => {
  const { events } = (isObject(body) ? body : {}) as { readonly events?: unknown };
  return (
    (Array.isArray(events) && events.length > 1000) || Buffer.byteLength(JSON.stringify(body) ?? '') > 1 << 20
  );
};
const TOO_LONG: Reply = { status: 413 };

/** Starts a plane. `sending` is the scenario's time. */
export const createScriptedPlane = async (
  sending: Omit<Sending, 'elsewhere' | 'loud'>,
): Promise<ScriptedPlane> => {
  const requests: SeenRequest[] = [];
  const queues = new Map<string, { replies: Reply[]; served: boolean }>();
  const open = new Map<ServerResponse, { readonly slot: string; readonly held: boolean }>();
  const streams = new Set<ServerResponse>();

  const traps = createTraps((path) => {
    const seen = { method: '', path, headers: {}, bytes: Buffer.alloc(0), body: undefined, key: undefined };
    requests.push({
      endpoint: 'elsewhere',
      ...seen,
      at: sending.now(),
      overlapping: false,
      reply: undefined,
    });
  });

  const nextReply = (endpoint: Endpoint, key: string | undefined): Reply => {
    const queue = queues.get(`${endpoint} ${key}`) ?? queues.get(endpoint);
    if (!queue) return USUAL[endpoint];
    if (queue.served && queue.replies.length > 1) queue.replies.shift();
    queue.served = true;
    return queue.replies[0]!;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse, elsewhere: boolean) => {
    response.socket?.setNoDelay(true);
    // Browsers send a request again by themselves when a connection that they had used before breaks.
    if (request.headers['sec-fetch-mode'] !== undefined) response.setHeader('connection', 'close');
    if (request.method === 'OPTIONS') return preflight(response);
    const bytes = await readAll(request);
    const path = request.url ?? '/';
    const endpoint = elsewhere
      ? 'elsewhere'
      : (PATHS[`${request.method} ${path.split('?', 1)[0]}`] ?? 'elsewhere');
    const headers = request.headers as Record<string, string>;
    const key = headers['x-api-key'];
    const slot = `${endpoint} ${key}`;
    const overlapping = [...open.values()].some((other) => other.slot === slot);
    const body = parseBody(bytes, headers);
    const scripted = endpoint === 'events' && isTooLong(body) ? TOO_LONG : nextReply(endpoint, key);
    const { etag, conditional } = scripted;
    const reply: Reply = conditional && headers['if-none-match'] === etag ? { status: 304 } : scripted;
    requests.push({
      endpoint,
      method: request.method ?? '',
      path,
      headers,
      bytes,
      body,
      key,
      at: sending.now(),
      overlapping,
      reply,
    });
    const streaming = endpoint === 'stream' && (reply.status ?? 200) === 200 && reply.fault === undefined;
    open.set(response, { slot, held: streaming || isHeld(reply) });
    response.once('close', () => {
      open.delete(response);
      streams.delete(response);
    });
    if (streaming) {
      response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/event-stream' });
      streams.add(response);
      response.write(reply.text ?? '');
    } else
      sendReply(response, reply, { ...sending, elsewhere: other.baseUrl, loud: requests.length % 2 === 0 });
  };
  const main = await listen((request, response) => void answer(request, response, false));
  const other = await listen((request, response) => void answer(request, response, true));

  return {
    baseUrl: main.baseUrl,
    requests,
    queue(endpoint, replies, key) {
      const name = key === undefined ? endpoint : `${endpoint} ${key}`;
      const queue = queues.get(name) ?? { replies: [], served: false };
      queue.replies.push(...replies);
      replies.forEach(prepare);
      queues.set(name, queue);
    },
    trap: traps.set,
    held: () => [...open.values()].filter(({ held }) => held).length + traps.held(),
    streams: () => streams.size,
    push(bytes) {
      for (const response of streams) {
        if (bytes === undefined) response.end();
        else response.write(bytes);
      }
    },
    down: main.down,
    up: main.up,
    async close() {
      await main.down();
      await other.down();
      await traps.close();
    },
  };
};

const preflight = (response: ServerResponse): void => {
  response
    .writeHead(204, {
      'access-control-allow-origin': '*',
      'access-control-allow-headers':
        '*, x-api-key, content-type, content-encoding, if-none-match, last-event-id',
      'access-control-allow-methods': 'GET, POST',
      'access-control-max-age': '600',
    })
    .end();
};

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The client went away in the middle; what came is kept.
  }
  return Buffer.concat(chunks);
};

const parseBody = (bytes: Buffer, headers: Readonly<Record<string, string>>): unknown => {
  if (bytes.length === 0) return undefined;
  try {
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    return JSON.parse(plain.toString());
  } catch {
    return bytes.toString();
  }
};

/** A server on a free port of loopback that can go away and come back there. */
const listen = async (handler: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server: Server = createServer({ keepAliveTimeout: 0, noDelay: true }, handler);
  // What a client sends after it has gone is nobody's fault.
  server.on('clientError', (_error, socket) => socket.destroy());
  const start = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await start(0);
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    down: () =>
      new Promise<void>((resolve) => {
        if (!server.listening) return resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    up: () => start(port),
  };
};

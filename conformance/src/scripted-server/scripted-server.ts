import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { isObject } from '../suite/json-value.ts';
import { type Endpoint, prepare, type Reply } from './replies.ts';
import { isHeld, type ScenarioTiming, sendReply } from './send-reply.ts';
import { createTlsFaultServers, type TlsFault } from './tls-faults.ts';

/** One request as it was received. */
export interface SeenRequest {
  readonly endpoint: Endpoint;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent. */
  readonly bytes: Buffer;
  /** The body, decompressed and parsed; a text if it is not JSON, undefined if there is none. */
  readonly body: unknown;
  /** The value of `X-API-Key`. */
  readonly key: string | undefined;
  /** When the request arrived, in scenario time. Undefined while a virtual clock is moving. */
  at: number | undefined;
  /** True when an earlier request with the same key to the same endpoint was still unanswered. */
  readonly overlapping: boolean;
  /** The reply; undefined if the request was sent to a server that simulates a TLS fault. */
  readonly reply: Reply | undefined;
}

/** A control plane on loopback that answers by a script and records every request. */
export interface ScriptedServer {
  /** The base address to configure an SDK with; it includes the prefix. */
  readonly baseUrl: string;
  /** All requests so far, in order. */
  readonly requests: readonly SeenRequest[];
  /** The base address of a server with this TLS fault. */
  baseUrlOf(fault: TlsFault): Promise<string>;
  /** Adds replies; with `key`, only for requests with that key. The last reply repeats. */
  queue(endpoint: Endpoint, replies: readonly Reply[], key?: string): void;
  /** How many requests are left unanswered on purpose, open streams included. */
  held(): number;
  /** How many streams are open. */
  streams(): number;
  /** Writes to every open stream; undefined ends them. */
  push(bytes: Buffer | undefined): void;
  /** Stops listening: refuses new connections and resets open ones. */
  down(): Promise<void>;
  /** Listens again at the same address. */
  up(): Promise<void>;
  close(): Promise<void>;
}

const PATHS: Readonly<Record<string, Endpoint>> = {
  'GET /api/v1/sdk/ruleset': 'ruleset',
  'POST /api/v1/sdk/events': 'events',
  'GET /api/v1/sdk/stream': 'stream',
  'POST /api/v1/evaluate': 'evaluate',
};

/** The replies of endpoints without a script. */
const DEFAULT_REPLIES: Readonly<Record<Endpoint, Reply>> = {
  ruleset: { status: 503 },
  events: { status: 202 },
  stream: { status: 404 },
  evaluate: { status: 503 },
  elsewhere: { status: 404 },
};

/** Whether a batch is longer than a server has to accept (decisions/0012); it is refused whatever the script says. */
const isTooLong = (body: unknown): boolean => {
  const { events } = (isObject(body) ? body : {}) as { readonly events?: unknown };
  return (
    (Array.isArray(events) && events.length > 1000) || Buffer.byteLength(JSON.stringify(body) ?? '') > 1 << 20
  );
};
const TOO_LONG: Reply = { status: 413 };

/** Starts a scripted server in the scenario's time. */
export const createScriptedServer = async (time: ScenarioTiming): Promise<ScriptedServer> => {
  const requests: SeenRequest[] = [];
  const queues = new Map<string, { replies: Reply[]; served: boolean }>();
  const open = new Map<ServerResponse, { readonly slot: string; readonly held: boolean }>();
  const streams = new Set<ServerResponse>();

  const tlsFaults = createTlsFaultServers((path) => {
    const seen = { method: '', path, headers: {}, bytes: Buffer.alloc(0), body: undefined, key: undefined };
    requests.push({
      endpoint: 'elsewhere',
      ...seen,
      at: time.now(),
      overlapping: false,
      reply: undefined,
    });
  });

  const nextReply = (endpoint: Endpoint, key: string | undefined): Reply => {
    const queue = queues.get(`${endpoint} ${key}`) ?? queues.get(endpoint);
    if (!queue) return DEFAULT_REPLIES[endpoint];
    if (queue.served && queue.replies.length > 1) queue.replies.shift();
    queue.served = true;
    return queue.replies[0]!;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse, elsewhere: boolean) => {
    response.socket?.setNoDelay(true);
    // No connection is reused, because browsers repeat a request by themselves if a reused connection breaks.
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
      at: time.now(),
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
      sendReply(response, reply, {
        ...time,
        otherHost: other.baseUrl,
        hasUpperCaseHeaders: requests.length % 2 === 0,
      });
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
    baseUrlOf: tlsFaults.baseUrlOf,
    held: () => [...open.values()].filter(({ held }) => held).length + tlsFaults.held(),
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
      await tlsFaults.close();
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
    // The client disconnected. What arrived is kept.
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

/** A server on a free loopback port, which can stop and restart on the same port. */
const listen = async (handler: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server: Server = createServer({ keepAliveTimeout: 0, noDelay: true }, handler);
  // Errors of clients that have disconnected do not matter.
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

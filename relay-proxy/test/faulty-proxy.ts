import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** An answer of the server on its way to the relay. */
export interface PassingAnswer {
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Bytes of the body of the request. */
  readonly sentBytes: number;
}

/** What happens to an answer; the streams of the server pass, except with `drop` and `hang`. */
export type Fault =
  | 'none'
  /** The connection is reset before the answer. */
  | 'drop'
  /** Nothing comes, and the connection stays open. */
  | 'hang'
  /** The connection is reset in the middle of the body. */
  | 'cut'
  /** The streams that are open stay open, but nothing comes any more; everything else passes. */
  | 'mute'
  /** Like `mute`, but something on the way keeps the streams alive with comment lines. */
  | 'chatter'
  /** The body comes in small pieces with pauses. */
  | 'drip'
  /** Another answer comes instead. */
  | ((answer: PassingAnswer) => PassingAnswer);

/** A proxy between a relay and its server. */
export interface FaultyProxy {
  readonly url: string;
  /** From now on. Ends open streams, so that the fault meets the next one. */
  set(fault: Fault): void;
  /** How many answers had the present fault. */
  faulty(): number;
  /** How many streams the relay has opened since then. */
  streams(): number;
  close(): Promise<void>;
}

const PIECES = 20;
const PIECE_PAUSE_MS = 10;
const CHATTER_MS = 20;

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let fault: Fault = 'none';
  let count = 0;
  let opened = 0;
  const streams = new Map<AbortController, ServerResponse>();
  const chatters = new Set<NodeJS.Timeout>();
  const muted = new Set<AbortController>();

  const forward = async (request: IncomingMessage, signal: AbortSignal): Promise<Response> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    return fetch(`${target}${request.url}`, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      signal,
    });
  };

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (fault === 'hang' || fault === 'drop') {
      count += 1;
      if (fault === 'drop') request.socket.destroy();
      return;
    }
    const controller = new AbortController();
    response.once('close', () => controller.abort());
    const answer = await forward(request, controller.signal);
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const headers = Object.fromEntries(
      [...answer.headers].filter(
        ([name]) => !/^(content-(length|encoding)|transfer|connection|keep)/.test(name),
      ),
    );
    if (isStream) {
      streams.set(controller, response);
      opened += 1;
      response.writeHead(answer.status, headers);
      for await (const chunk of answer.body!) if (!muted.has(controller)) response.write(chunk);
      response.end();
      return;
    }
    const body = Buffer.from(await answer.arrayBuffer());
    const sentBytes = Number(request.headers['content-length'] ?? 0);
    await send(response, { path: request.url!, status: answer.status, headers, body, sentBytes });
  };

  const send = async (response: ServerResponse, answer: PassingAnswer): Promise<void> => {
    const sent = typeof fault === 'function' ? fault(answer) : answer;
    const { status, headers, body } = sent;
    if (fault !== 'none' && sent !== answer) count += 1;
    response.writeHead(status, { ...headers, ...(status !== 304 && { 'content-length': body.length }) });
    if (fault === 'cut' && body.length > 1) {
      count += 1;
      response.write(body.subarray(0, body.length / 2), () => response.destroy());
      return;
    }
    if (fault !== 'drip') return void response.end(body);
    count += 1;
    const size = Math.ceil(body.length / PIECES);
    for (let from = 0; from < body.length; from += size) {
      response.write(body.subarray(from, from + size));
      await wait(PIECE_PAUSE_MS);
    }
    response.end();
  };

  const server = createServer((request, response) => {
    // The server is away, or one of both has left.
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      fault = next;
      count = 0;
      opened = 0;
      for (const [stream, response] of streams) {
        if (next !== 'mute' && next !== 'chatter') {
          stream.abort();
          continue;
        }
        muted.add(stream);
        if (next === 'chatter') chatters.add(setInterval(() => response.write(': \n\n'), CHATTER_MS));
      }
      streams.clear();
    },
    faulty: () => count,
    streams: () => opened,
    async close() {
      for (const timer of chatters) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Fault, type Reply, spoil, toBody } from './replies.ts';

/** What sending needs of the plane. */
export interface Sending {
  /** Runs later, in the scenario's time. */
  after(ms: number, action: () => void): void;
  /** Scenario time of this moment; undefined where it is known only once the clock stands still. */
  now(): number | undefined;
  /** Wall clock of the scenario, milliseconds since 1970. */
  wallMs(): number;
  /** Base address of another host. */
  readonly elsewhere: string;
  /** The names of headers in capitals: they mean the same, and proxies change them. */
  readonly loud: boolean;
}

/** True when the answer is never finished by itself, or not soon. */
export const isHeld = ({ fault, delayMs }: Reply): boolean =>
  delayMs !== undefined || fault === 'drip' || (fault?.startsWith('stall') ?? false);

const CORS = {
  'access-control-allow-origin': '*',
  // What a browser's cache would add to requests is not the client's doing.
  'cache-control': 'no-store',
  'access-control-expose-headers': 'etag, retry-after, x-ratelimit-remaining, x-ratelimit-reset',
};

/** An answer that node would not send. */
const byHand = (status: string, headers: Record<string, string | number>, body: Buffer): Buffer => {
  const lines = Object.entries({ ...CORS, 'content-type': 'application/json', ...headers });
  const head = [`HTTP/1.1 ${status}`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
};

/** What a fault needs to do its harm. */
interface Harm {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly status: number;
  readonly body: Buffer;
  readonly reply: Reply;
  readonly sending: Sending;
  /** Sends the head, with more headers. */
  head(more?: Record<string, string | number>): ServerResponse;
}

const HALF_A_HEAD = '\r\ncontent-type: application/json\r\netag: "part';

const HARMS: Readonly<Partial<Record<Fault, (harm: Harm) => void>>> = {
  reset: ({ socket }) => socket.resetAndDestroy(),
  close: ({ socket }) => socket.destroy(),
  stall() {},
  'not-http': ({ socket }) => socket.end('this is no answer\r\n\r\nat all'),
  'reset-headers': ({ socket, status }) =>
    socket.write(`HTTP/1.1 ${status} OK${HALF_A_HEAD}`, () => socket.resetAndDestroy()),
  'stall-headers': ({ socket, status }) => socket.write(`HTTP/1.1 ${status} OK${HALF_A_HEAD}`),
  'reset-body': (harm) => half(harm, () => harm.socket.resetAndDestroy()),
  'stall-body': (harm) => half(harm, () => {}),
  cut: (harm) => half(harm, () => harm.socket.end()),
  'cut-chunked'({ head, response, body, socket }) {
    head({ 'transfer-encoding': 'chunked' });
    response.write(body.subarray(0, body.length >> 1), () => socket.end());
  },
  'short-length'({ socket, status, body }) {
    // Raw: node would not send more than it announced.
    socket.end(byHand(`${status} OK`, { connection: 'close', 'content-length': body.length >> 1 }, body));
  },
  redirect({ response, sending }) {
    response.writeHead(302, { ...CORS, location: `${sending.elsewhere}/sdk/ruleset` }).end();
  },
  drip({ head, response, body, reply, sending }) {
    head({ 'content-length': body.length });
    drip(response, body, reply, sending);
  },
  split({ head, response, body }) {
    head({ 'transfer-encoding': 'chunked' });
    split(response, body);
  },
  'close-after': ({ head, body }) => head({ connection: 'close', 'content-length': body.length }).end(body),
};

const half = ({ head, response, body }: Harm, then: () => void): void => {
  head({ 'content-length': body.length });
  response.write(body.subarray(0, body.length >> 1), then);
};

/** Answers as the reply says. Gives up silently when the client is gone. */
export const sendReply = (response: ServerResponse, reply: Reply, sending: Sending): void => {
  if (reply.delayMs !== undefined) {
    const { delayMs, ...rest } = reply;
    sending.after(delayMs, () => sendReply(response, rest, sending));
    return;
  }
  const { socket } = response;
  if (!socket || socket.destroyed) return;
  const { status = 200, fault, etag } = reply;
  const { body, headers: extra } = spoil(toBody(reply), reply);
  const bodiless = status === 204 || (status === 304 && reply.text === undefined);
  const headers: Record<string, string | number> = {
    ...CORS,
    ...(!bodiless && { 'content-type': 'application/json' }),
    ...(etag !== undefined && { etag }),
    ...resolveHeaders(reply, sending),
    ...extra,
  };
  const head: Harm['head'] = (more = {}) =>
    response.writeHead(status, spelt({ ...headers, ...more }, sending));
  const harm = fault && HARMS[fault];
  if (harm) harm({ response, socket, status, body, reply, sending, head });
  else if (bodiless) head().end();
  // Node sends no body with a 304; a server that does anyway has to be played by hand.
  else if (status === 304) socket.end(byHand('304 Not Modified', { 'content-length': body.length }, body));
  else head({ 'content-length': body.length }).end(body);
};

const spelt = (headers: Record<string, string | number>, { loud }: Sending): typeof headers =>
  loud
    ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    : headers;

const resolveHeaders = ({ headers = {} }: Reply, sending: Sending): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (typeof value !== 'object') return [name, value];
      if (value.$date !== undefined) return [name, new Date(sending.wallMs() + value.$date).toUTCString()];
      return [name, Math.ceil((sending.wallMs() + (value.$unix ?? 0)) / 1000)];
    }),
  );

const drip = (response: ServerResponse, body: Buffer, reply: Reply, sending: Sending): void => {
  const { bytes = 1, everyMs = 1_000 } = reply;
  let at = 0;
  const next = () => {
    if (response.destroyed) return;
    response.write(body.subarray(at, at + bytes));
    at += bytes;
    if (at >= body.length) response.end();
    else sending.after(everyMs, next);
  };
  next();
};

/** Every byte a chunk of its own; each in a turn of its own, so that they are not put together again. */
const split = (response: ServerResponse, body: Buffer): void => {
  let at = 0;
  const next = () => {
    if (response.destroyed) return;
    if (at >= body.length) response.end();
    else {
      response.write(body.subarray(at, ++at));
      setImmediate(next);
    }
  };
  next();
};

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { applyFault, type Fault, type Reply, toBody } from './replies.ts';

/** The scenario's time, as the scripted server uses it. */
export interface ScenarioTiming {
  /** Runs the action after this scenario time. */
  after(ms: number, action: () => void): void;
  /** Scenario time now; undefined while a virtual clock is moving. */
  now(): number | undefined;
  /** The scenario's wall clock, in milliseconds since 1970. */
  wallMs(): number;
}

/** How replies are sent. */
export interface Sending extends ScenarioTiming {
  /** Base address of another host, for redirects. */
  readonly otherHost: string;
  /** If true, header names are written in upper case, as some proxies do. Letter case does not change their meaning. */
  readonly hasUpperCaseHeaders: boolean;
}

/** True for a reply that never ends by itself, or ends only later. */
export const isHeld = ({ fault, delayMs }: Reply): boolean =>
  delayMs !== undefined || fault === 'drip' || (fault?.startsWith('stall') ?? false);

const CORS = {
  'access-control-allow-origin': '*',
  // A browser's cache would add headers to requests by itself.
  'cache-control': 'no-store',
  'access-control-expose-headers': 'etag, retry-after, x-ratelimit-remaining, x-ratelimit-reset',
};

/** The bytes of a reply that Node's HTTP server would not send. */
const rawReply = (status: string, headers: Record<string, string | number>, body: Buffer): Buffer => {
  const lines = Object.entries({ ...CORS, 'content-type': 'application/json', ...headers });
  const head = [`HTTP/1.1 ${status}`, ...lines.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n')), body]);
};

/** What a fault works with. */
interface FaultContext {
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly status: number;
  readonly body: Buffer;
  readonly reply: Reply;
  readonly sending: Sending;
  /** Sends status and headers, with these additional headers. */
  head(more?: Record<string, string | number>): ServerResponse;
}

const PARTIAL_HEADERS = '\r\ncontent-type: application/json\r\netag: "part';

const FAULT_SENDERS: Readonly<Partial<Record<Fault, (context: FaultContext) => void>>> = {
  reset: ({ socket }) => socket.resetAndDestroy(),
  close: ({ socket }) => socket.destroy(),
  stall() {},
  'not-http': ({ socket }) => socket.end('this is not HTTP\r\n\r\nat all'),
  'reset-headers': ({ socket, status }) =>
    socket.write(`HTTP/1.1 ${status} OK${PARTIAL_HEADERS}`, () => socket.resetAndDestroy()),
  'stall-headers': ({ socket, status }) => socket.write(`HTTP/1.1 ${status} OK${PARTIAL_HEADERS}`),
  'reset-body': (context) => sendHalf(context, () => context.socket.resetAndDestroy()),
  'stall-body': (context) => sendHalf(context, () => {}),
  cut: (context) => sendHalf(context, () => context.socket.end()),
  'cut-chunked'({ head, response, body, socket }) {
    head({ 'transfer-encoding': 'chunked' });
    response.write(body.subarray(0, body.length >> 1), () => socket.end());
  },
  'short-length'({ socket, status, body }) {
    // Node's HTTP server would not send more than it has announced.
    socket.end(rawReply(`${status} OK`, { connection: 'close', 'content-length': body.length >> 1 }, body));
  },
  redirect({ response, sending }) {
    response.writeHead(302, { ...CORS, location: `${sending.otherHost}/sdk/ruleset` }).end();
  },
  drip(context) {
    context.head({ 'content-length': context.body.length });
    drip(context);
  },
  split({ head, response, body }) {
    head({ 'transfer-encoding': 'chunked' });
    split(response, body);
  },
  'close-after': ({ head, body }) => head({ connection: 'close', 'content-length': body.length }).end(body),
};

const sendHalf = ({ head, response, body }: FaultContext, then: () => void): void => {
  head({ 'content-length': body.length });
  response.write(body.subarray(0, body.length >> 1), then);
};

/** Sends a reply. Does nothing if the client has disconnected. */
export const sendReply = (response: ServerResponse, reply: Reply, sending: Sending): void => {
  if (reply.delayMs !== undefined) {
    const { delayMs, ...rest } = reply;
    sending.after(delayMs, () => sendReply(response, rest, sending));
    return;
  }
  const { socket } = response;
  if (!socket || socket.destroyed) return;
  const { status = 200, fault, etag } = reply;
  const { body, headers: extra } = applyFault(toBody(reply), reply);
  const hasNoBody = status === 204 || (status === 304 && reply.text === undefined);
  const headers: Record<string, string | number> = {
    ...CORS,
    ...(!hasNoBody && { 'content-type': 'application/json' }),
    ...(etag !== undefined && { etag }),
    ...resolveHeaders(reply, sending),
    ...extra,
  };
  const head: FaultContext['head'] = (more = {}) =>
    response.writeHead(status, withCase({ ...headers, ...more }, sending));
  const sendFault = fault && FAULT_SENDERS[fault];
  if (sendFault) sendFault({ response, socket, status, body, reply, sending, head });
  else if (hasNoBody) head().end();
  // Node's HTTP server sends no body with a 304, but some servers do.
  else if (status === 304) socket.end(rawReply('304 Not Modified', { 'content-length': body.length }, body));
  else head({ 'content-length': body.length }).end(body);
};

const withCase = (
  headers: Record<string, string | number>,
  { hasUpperCaseHeaders }: Sending,
): typeof headers =>
  hasUpperCaseHeaders
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

const drip = ({ response, body, reply, sending }: FaultContext): void => {
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

/** Sends every byte as one chunk, each in its own iteration of the event loop so that they are not merged. */
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

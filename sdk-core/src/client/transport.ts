import type { ClientConfig } from './client-options.ts';
import type { FaultCode } from './errors.ts';
import type { AbortControllerLike, Clock } from './ports.ts';

/** A request to the API. */
export interface Request {
  /** The path below the base address, with a leading slash. */
  readonly path: string;
  /** Sent as `If-None-Match`, byte for byte. */
  readonly tag?: string | null;
  /** JSON text; makes the request a POST. */
  readonly body?: string;
  /** True if the request should outlive the page that sends it. Default false. */
  readonly keepalive?: boolean;
}

/** The outcome of a request. */
export interface Reply {
  /** The HTTP status; 0 if there was no complete answer, and for any redirect in a browser, which hides its status. */
  readonly status: number;
  /** Why there was no complete answer. */
  readonly code?: FaultCode;
  /** The system's code for the fault, such as `ECONNREFUSED`. */
  readonly detail?: unknown;
  readonly body?: unknown;
  /** Reads a header of the answer; absent if there was no answer. */
  readonly header?: (name: string) => string | null | undefined;
}

/** Fault codes by the name of the error that a port throws; any other name is `NETWORK`. */
const FAULTS: Readonly<Record<string, FaultCode>> = {
  RangeError: 'TOO_LARGE',
  SyntaxError: 'NOT_DECODABLE',
};

/** The part of a client's configuration that one request needs. */
export type TransportConfig = Pick<
  ClientConfig,
  | 'accept'
  | 'apiKey'
  | 'baseUrl'
  | 'clock'
  | 'decode'
  | 'fetch'
  | 'maxBodyBytes'
  | 'newController'
  | 'requestTimeoutMs'
>;

/**
 * Sends one request. Never rejects, and resolves within `requestTimeoutMs`, even if `fetch` ignores its signal
 * (decisions/0010).
 */
export const send = async (
  config: TransportConfig,
  { path, tag, body, keepalive = false }: Request,
): Promise<Reply> => {
  const headers: Record<string, string> = { accept: config.accept(), 'x-api-key': config.apiKey };
  if (tag) headers['if-none-match'] = tag;
  if (body) headers['content-type'] = 'application/json';
  let controller: AbortControllerLike | undefined;
  /** The outcome so far, which is returned if time runs out. */
  let reply: Reply = { status: 0, code: 'TIMEOUT' };
  const exchange = async () => {
    try {
      controller = config.newController();
      const answer = await config.fetch(config.baseUrl + path, {
        method: body ? 'POST' : 'GET',
        headers,
        body,
        redirect: 'manual',
        keepalive,
        signal: controller.signal,
      });
      // A replaced `fetch` may return headers as a plain object, or none.
      const head = { status: answer.status, header: (name: string) => answer.headers?.get?.(name) };
      // The body matters only for status 200; any other status is returned even if the body never arrives.
      if (head.status !== 200) reply = head;
      reply = { ...head, body: await config.decode(answer, config.maxBodyBytes) };
    } catch (thrown) {
      // Anything can be thrown, undefined included.
      const { name, cause } = Object(thrown);
      // Only the code is kept, because a message may quote the address, or a header and with it the key.
      // An answer that needs no body has no code, even if its status is 0.
      if (reply.code) reply = { status: 0, code: FAULTS[name] ?? 'NETWORK', detail: cause?.code };
    }
  };
  await within(config, config.requestTimeoutMs, exchange());
  controller?.abort();
  return reply;
};

/** The clock of `within`. */
export interface Timekeeper {
  readonly clock: Clock;
  /** True keeps the process alive while waiting. Default false. */
  readonly hold?: boolean;
}

/** Waits for the work to settle, but no longer than the limit. */
export const within = ({ clock, hold }: Timekeeper, limitMs: number, work: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const timer = clock.setTimer(resolve, limitMs, hold);
    const end = () => resolve(clock.clearTimer(timer));
    // `work` rejects if reading the error of `fetch` throws.
    work.then(end, end);
  });

import type { ClientConfig } from './client-options.ts';
import type { FaultCode } from './errors.ts';
import type { AbortControllerLike, Clock, FetchReply } from './ports.ts';

export interface Request {
  /** Below the base address, with a leading slash. */
  readonly path: string;
  /** Sent as `If-None-Match`, byte for byte. */
  readonly tag?: string | null;
  /** A JSON text; makes the request a POST. */
  readonly body?: string;
  /** Whether it should outlive the page that sends it. */
  readonly keepalive?: boolean;
}

/** What came of a request. */
export interface Reply {
  /** The status; 0 when there was no whole answer, and then `code` says why. */
  readonly status: number;
  readonly code?: FaultCode;
  /** The system's own word for the fault, for example `ECONNREFUSED`. */
  readonly detail?: unknown;
  readonly body?: unknown;
  /** Of the answer, if there was one. */
  readonly headers?: FetchReply['headers'];
}

/** What the errors of ports mean, by name. */
const FAULTS: Readonly<Record<string, FaultCode>> = {
  RangeError: 'TOO_LARGE',
  SyntaxError: 'NOT_DECODABLE',
};

/**
 * Sends one request. Never rejects: every request ends, within its time, in a reply, whatever `fetch` makes of its
 * signal (decisions/0010).
 */
export const send = async (
  config: ClientConfig,
  { path, tag, body, keepalive = false }: Request,
): Promise<Reply> => {
  const { codec } = config;
  const headers: Record<string, string> = { accept: codec.accept(), 'x-api-key': config.apiKey };
  if (tag) headers['if-none-match'] = tag;
  if (body) headers['content-type'] = 'application/json';
  let controller: AbortControllerLike | undefined;
  /** What is to be said if the time is over. */
  let reply: Reply = { code: 'TIMEOUT', status: 0 };
  const ask = async () => {
    try {
      controller = config.newController();
      const answer = await config.fetch(config.baseUrl + path, {
        method: body ? 'POST' : 'GET',
        headers,
        // Without a packer there is no await before the request: a page that is being left has no later turn.
        body: body && codec.write ? await codec.write(body, headers) : body,
        redirect: 'manual',
        keepalive,
        signal: controller.signal,
      });
      const head = { status: answer.status, headers: answer.headers };
      // The head of an answer that needs no body is an answer, whatever becomes of the rest.
      if (head.status !== 200) reply = head;
      reply = { ...head, body: await codec.read(answer, config.maxBodyBytes) };
    } catch (thrown) {
      // Whatever was thrown, and be it undefined.
      const { name, cause } = Object(thrown);
      // Only a code: messages can quote the address or a header, and with it the key.
      if (reply.code) reply = { ...reply, code: FAULTS[name] ?? 'NETWORK', detail: cause?.code };
    }
  };
  await within(config.clock, config.requestTimeoutMs, ask());
  controller?.abort();
  return reply;
};

/** Waits for the work, but no longer. Held: the process waits for it as well. */
export const within = (
  clock: Clock,
  limitMs: number,
  work: Promise<unknown>,
  hold?: boolean,
): Promise<void> =>
  new Promise((resolve) => {
    const timer = clock.setTimer(resolve, limitMs, hold);
    const end = () => resolve(clock.clearTimer(timer));
    // Also when a `fetch` rejects with what cannot even be looked at.
    work.then(end, end);
  });

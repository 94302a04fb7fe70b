import type { ClientConfig } from './client-options.ts';
import type { FaultCode } from './errors.ts';
import type { AbortControllerLike, FetchReply } from './ports.ts';

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
  readonly headers: FetchReply['headers'];
}

/** The headers of an answer that did not come. */
export const NO_HEADERS = /* @__PURE__ */ new Map() as unknown as FetchReply['headers'];

/** What the errors of ports mean, by name. */
const FAULTS: Readonly<Record<string, FaultCode>> = {
  TimeoutError: 'TIMEOUT',
  RangeError: 'TOO_LARGE',
  SyntaxError: 'NOT_DECODABLE',
};

/**
 * Sends one request. Never rejects: every request ends, within its time, in a reply, whatever `fetch` makes of its
 * signal (decision 0138).
 */
export const send = async (
  { fetch, newController, clock, codec, baseUrl, apiKey, maxBodyBytes, requestTimeoutMs }: ClientConfig,
  { path, tag, body, keepalive = false }: Request,
): Promise<Reply> => {
  const headers: Record<string, string> = { accept: codec.accept(), 'x-api-key': apiKey };
  if (tag) headers['if-none-match'] = tag;
  if (body) headers['content-type'] = 'application/json';
  let known: Reply | undefined;
  let controller: AbortControllerLike | undefined;
  let timer: unknown;
  const ask = async ({ signal }: AbortControllerLike): Promise<Reply> => {
    const answer = await fetch(baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers,
      // Without a packer there is no await before the request: a page that is being left has no later turn.
      body: body && codec.write ? await codec.write(body, headers) : body,
      redirect: 'manual',
      keepalive,
      signal,
    });
    const head = { status: answer.status, headers: answer.headers };
    // The head of an answer that needs no body is an answer, whatever becomes of the rest.
    if (head.status !== 200) known = head;
    return { ...head, body: await codec.read(answer, maxBodyBytes) };
  };
  try {
    controller = newController();
    return await Promise.race([
      ask(controller),
      new Promise<never>((_, reject) => {
        timer = clock.setTimer(() => reject({ name: 'TimeoutError' }), requestTimeoutMs);
      }),
    ]);
  } catch (thrown) {
    // Whatever was thrown, and be it undefined.
    const { name, cause } = Object(thrown);
    // Only a code: messages can quote the address or a header, and with it the key.
    return known ?? { status: 0, code: FAULTS[name] ?? 'NETWORK', detail: cause?.code, headers: NO_HEADERS };
  } finally {
    clock.clearTimer(timer);
    controller?.abort();
  }
};

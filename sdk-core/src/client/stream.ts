import type { ClientConfig } from './client-options.ts';
import type { BodyReader, LifecycleHandles } from './ports.ts';
import type { createRequestScheduler, RequestScheduler } from './request-scheduler.ts';
import type { Reply } from './transport.ts';

/** What a stream is made from. */
export interface StreamConfig extends ClientConfig {
  /** The client's own, handed in so that a stream whose code is loaded later does not bring another copy. */
  readonly createRequestScheduler: typeof createRequestScheduler;
}

/** Creates a stream: the value of the option `streaming`. */
export type CreateStream = (config: StreamConfig) => Stream;

/** What a stream needs besides the ports of its client. */
export interface StreamPorts {
  /**
   * `createParser` of eventsource-parser: calls back with each complete event, and throws when it is fed more than
   * `maxBufferSize` characters without the end of an event.
   */
  readonly createParser: (config: {
    readonly onEvent: (event: StreamEvent) => void;
    readonly maxBufferSize: number;
  }) => { feed(text: string): void };
  /** Creates a `TextDecoder`, which decodes bytes that arrive in pieces. */
  readonly newDecoder: () => { decode(bytes: Uint8Array, options: { readonly stream: true }): string };
  /** True to get small rulesets inside of events (decisions/0014), for a client that evaluates locally. */
  readonly takesRulesets?: boolean;
}

/** The fields of a server-sent event that are used. */
export interface StreamEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** Listens for new versions, so that polling is not needed (decisions/0014). */
export interface Stream {
  connect(handles: LifecycleHandles): void;
  /** Closes the stream; the client polls again. */
  disconnect(): void;
}

/** The server sends something every 15 s; after 2.5 times that without a byte the connection is dead. */
const SILENCE_MS = 37_500;
/** Times `retryBaseMs`: the longest first wait after a stream ended, over which a fleet spreads its reconnects. */
const SPREAD = 10;
/** Times `retryBaseMs`: the wait after a reconnect that failed, so that it does not fall into the same seconds. */
const PATIENCE = 15;
/** In characters. No event of the protocol is longer than a small ruleset. */
const MAX_EVENT_LENGTH = 2 ** 20;
const EVENTS = ['ruleset.updated', 'ruleset.snapshot', 'heartbeat', 'goodbye'];

/**
 * `GET /sdk/stream` announces versions, which the client then fetches. While bytes arrive and the client has the
 * announced version, each chunk defers the next poll by an interval. So polling resumes by itself when the stream is
 * silent, broken or refused, and stops again when it is back.
 */
export const createStream = (
  config: StreamConfig,
  { createParser, newDecoder, takesRulesets }: StreamPorts,
): Stream => {
  const { clock, random, fetch, baseUrl, apiKey, pollIntervalMs, requestTimeoutMs, retryBaseMs } = config;
  let handles: LifecycleHandles | undefined;
  let scheduler: RequestScheduler | undefined;
  let abortRequest = () => {};
  let catchUpTimer: unknown;
  let lastEventId: string | undefined;
  /** The delay that the server asked for when it closed the stream. */
  let reconnectMs: number | undefined;
  /** Entity tags: the one that was announced last, and the one that the client is known to have. */
  let announcedTag: string | undefined;
  let heldTag: string | undefined;

  const catchUp = async () => {
    catchUpTimer = undefined;
    const wanted = announcedTag!;
    // A fetch in flight may bring what was announced, or an older version.
    await handles?.idle();
    const isHeld = handles?.receive({ data: undefined, tag: wanted }) || (await handles?.poll());
    // Answers of the server have no tag: what was fetched after the announcement is what was announced.
    if (isHeld) heldTag = handles?.held()?.tag ?? wanted;
  };
  const onEvent = ({ event, id, data }: StreamEvent) => {
    // A later server may send other events as well.
    if (!EVENTS.includes(event!)) return;
    const message = JSON.parse(data);
    if (id) lastEventId = id;
    // 0 and NaN name no time.
    if (event === 'goodbye') reconnectMs = Math.max(0, Math.min(300 * retryBaseMs, +message.retry_ms));
    if (typeof message.etag !== 'string') return;
    announcedTag = message.etag;
    // A fetch in flight may still replace it by an older version, so `catchUp` follows in any case.
    const payload = { data: message.ruleset, tag: message.etag };
    if (message.ruleset && handles?.receive(payload)) config.save?.(payload);
    const withinMs = +message.refetch_within_ms || 0;
    catchUpTimer ??= clock.setTimer(catchUp, Math.min(5000, withinMs) * random());
  };
  const request = (signal: ReturnType<typeof config.newController>['signal']) =>
    fetch(`${baseUrl}/sdk/stream${takesRulesets ? '?mode=full' : ''}`, {
      method: 'GET',
      headers: {
        'x-api-key': apiKey,
        accept: 'text/event-stream',
        ...(lastEventId && { 'last-event-id': lastEventId }),
      },
      body: undefined,
      redirect: 'manual',
      keepalive: false,
      signal,
    });
  /** Reads one stream to its end. */
  const listen = async (): Promise<Reply> => {
    const controller = config.newController();
    let reader: BodyReader | undefined;
    const abort = () => {
      controller.abort();
      // For a `fetch` that ignores its signal by now.
      reader?.cancel().catch(() => {});
    };
    let timer: unknown;
    const limitTo = (ms: number) => {
      clock.clearTimer(timer);
      timer = clock.setTimer(abort, ms);
    };
    let reply: Reply = { status: 0 };
    abortRequest = abort;
    reconnectMs = undefined;
    // Bytes of a stream that has announced nothing defer nothing.
    heldTag = undefined;
    try {
      limitTo(requestTimeoutMs);
      const { status, headers, body } = await request(controller.signal);
      reply = { status, header: (name) => headers.get(name) };
      if (status !== 200) return reply;
      if (!headers.get('content-type')?.startsWith('text/event-stream')) return { ...reply, status: 404 };
      reader = body!.getReader();
      const parser = createParser({ onEvent, maxBufferSize: MAX_EVENT_LENGTH });
      const decoder = newDecoder();
      for (;;) {
        limitTo(SILENCE_MS);
        const { value } = await reader.read();
        if (!value) return reply;
        parser.feed(decoder.decode(value, { stream: true }));
        if (heldTag !== undefined && heldTag === announcedTag)
          handles?.defer(pollIntervalMs * (0.9 + random() / 5));
      }
    } catch {
      return reply;
    } finally {
      clock.clearTimer(timer);
      abort();
    }
  };

  return {
    connect(own) {
      scheduler?.stop();
      abortRequest();
      handles = own;
      scheduler = config.createRequestScheduler({ ...config, patience: PATIENCE }, listen, ({ status }) =>
        status === 200 ? reconnectMs || SPREAD * retryBaseMs * random() : undefined,
      );
      scheduler.schedule(0);
    },
    disconnect() {
      scheduler?.stop();
      clock.clearTimer(catchUpTimer);
      catchUpTimer = undefined;
      handles = undefined;
      abortRequest();
    },
  };
};

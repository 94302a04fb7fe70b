import type { ClientConfig } from './client-options.ts';
import type { BodyReader, LifecycleHandles } from './ports.ts';
import type { createRequestScheduler, RequestScheduler } from './request-scheduler.ts';
import type { Reply } from './transport.ts';

/** The configuration of a stream. */
export interface StreamConfig extends ClientConfig {
  /** The client's own function, handed in so that a stream bundled separately does not contain a second copy. */
  readonly createRequestScheduler: typeof createRequestScheduler;
}

/** Creates a stream: the value of the option `streaming`. */
export type CreateStream = (config: StreamConfig) => Stream;

/** What a stream needs in addition to the ports of its client. */
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
  /** True to receive small rulesets inside events (decisions/0014), for clients that evaluate locally. Default false. */
  readonly takesRulesets?: boolean;
}

/** The fields of a server-sent event that a stream reads. */
export interface StreamEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** A connection on which the server announces new versions, so that the client need not poll (decisions/0014). */
export interface Stream {
  connect(handles: LifecycleHandles): void;
  /** Closes the stream; the client polls again. */
  disconnect(): void;
}

/** The server sends something every 15 s. If no byte arrives for 2.5 times as long, the connection is dead. */
const SILENCE_MS = 37_500;
/** Longest first wait after a stream ended, in units of `retryBaseMs`. A fleet spreads its reconnects over this time. */
const SPREAD = 10;
/** Wait after a failed reconnect, in units of `retryBaseMs`. Longer than `SPREAD`, so that retries come later. */
const PATIENCE = 15;
/** Maximum length of an event, in characters. The longest events of the protocol contain a small ruleset. */
const MAX_EVENT_LENGTH = 2 ** 20;
const EVENTS = ['ruleset.updated', 'ruleset.snapshot', 'heartbeat', 'goodbye'];

/**
 * Connects to `GET /sdk/stream`, which announces versions; the client then fetches them. While the client has the
 * announced version, each chunk that arrives defers the next poll by an interval. So polling resumes by itself when the
 * stream is silent, broken or refused, and stops again when the stream is back.
 */
export const createStream = (
  config: StreamConfig,
  { createParser, newDecoder, takesRulesets }: StreamPorts,
): Stream => {
  const { clock, random, fetch, baseUrl, apiKey, pollIntervalMs, requestTimeoutMs, retryBaseMs } = config;
  let handles: LifecycleHandles | undefined;
  let scheduler: RequestScheduler | undefined;
  let abortRequest: (() => void) | undefined;
  let catchUpTimer: unknown;
  let lastEventId: string | undefined;
  /** The delay that the server asked for when it closed the stream. */
  let reconnectMs: number | undefined;
  /** The entity tag that was announced last, and the one that the client is known to have. */
  let announcedTag: string | undefined;
  let heldTag: string | undefined;

  const catchUp = async () => {
    catchUpTimer = undefined;
    const wanted = announcedTag!;
    // A fetch in flight may return the announced version or an older one.
    await handles?.idle();
    const isHeld = handles?.receive({ data: undefined, tag: wanted }) || (await handles?.poll());
    // Answers of `POST /evaluate` have no tag; an answer fetched after the announcement has the announced version.
    if (isHeld) heldTag = handles?.held()?.tag ?? wanted;
  };
  const onEvent = ({ event, id, data }: StreamEvent) => {
    // Newer servers may send other events too.
    if (!EVENTS.includes(event!)) return;
    const message = JSON.parse(data);
    if (id) lastEventId = id;
    // With 0 or NaN, the client reconnects after its usual wait.
    if (event === 'goodbye') reconnectMs = Math.max(0, Math.min(300 * retryBaseMs, message.retry_ms));
    if (typeof message.etag !== 'string') return;
    announcedTag = message.etag;
    // A fetch in flight may still replace this ruleset with an older one, so `catchUp` runs in any case.
    const payload = { data: message.ruleset, tag: announcedTag! };
    if (message.ruleset && handles?.receive(payload)) config.save?.(payload);
    catchUpTimer ??= clock.setTimer(catchUp, Math.min(5000, +message.refetch_within_ms || 0) * random());
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
      // Cancels the reader too, in case `fetch` no longer obeys its signal.
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
    // Until this stream has announced a version, its bytes defer no poll.
    heldTag = undefined;
    try {
      limitTo(requestTimeoutMs);
      const { status, headers, body } = await request(controller.signal);
      reply = { status, header: (name) => headers.get(name) };
      if (status !== 200) return reply;
      if (!/^text\/event-stream/.test(headers.get('content-type')!)) return { ...reply, status: 404 };
      reader = body!.getReader();
      const parser = createParser({ onEvent, maxBufferSize: MAX_EVENT_LENGTH });
      const decoder = newDecoder();
      for (;;) {
        limitTo(SILENCE_MS);
        const { value } = await reader.read();
        if (!value) return reply;
        parser.feed(decoder.decode(value, { stream: true }));
        if (heldTag && heldTag === announcedTag) handles?.defer(pollIntervalMs * (0.9 + random() / 5));
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
      abortRequest?.();
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
      abortRequest?.();
    },
  };
};

import type { ClientConfig } from './client-options.ts';
import type { BodyReader, LifecycleHandles } from './ports.ts';
import type { createTurns, Turns } from './request-scheduler.ts';
import type { Reply } from './transport.ts';

/** What a stream is made from. */
export interface StreamConfig extends ClientConfig {
  /** The machine's own, handed in: so that a stream whose code comes later shares none with what is there already. */
  readonly createTurns: typeof createTurns;
}

/** Makes a stream: what the option `streaming` is handed. */
export type CreateStream = (config: StreamConfig) => Stream;

/** What a stream needs of the world beside what the machine has. */
export interface StreamPorts {
  /**
   * The one of eventsource-parser: calls back with each whole event, and throws when it is fed after more than
   * `maxBufferSize` characters without an end of one.
   */
  readonly createParser: (config: {
    readonly onEvent: (event: StreamEvent) => void;
    readonly maxBufferSize: number;
  }) => { feed(text: string): void };
  /** Makes text of bytes that come in pieces: a `TextDecoder`. */
  readonly newDecoder: () => { decode(bytes: Uint8Array, options: { readonly stream: true }): string };
  /** True to be given small rulesets with the news (decisions/0014): for a source that evaluates them here. */
  readonly takesRulesets?: boolean;
}

/** The fields of a server-sent event that are used. */
export interface StreamEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
}

/** Listens for new versions, so that they need not be polled for (decisions/0014). */
export interface Stream {
  connect(handles: LifecycleHandles): void;
  /** Leaves the polling to the client. */
  disconnect(): void;
}

/** The server sends something every 15 s; after 2.5 times that the connection is dead, whatever the system says. */
const SILENCE_MS = 37_500;
/** Of the first wait after a stream's end: a fleet whose server went away comes back over this time. */
const SPREAD = 10;
/** Of the wait after that, if there is no server yet: so that it does not fall into the same seconds. */
const PATIENCE = 15;
/** No event that we know is longer than some thousand characters. */
const MAX_EVENT_LENGTH = 2 ** 20;
const EVENTS = ['ruleset.updated', 'ruleset.snapshot', 'heartbeat', 'goodbye'];

/**
 * `GET /sdk/stream` says that there is a version, the client then fetches it. While bytes come and the client has
 * what it was told of, each of them puts the next poll off by an interval; so polling goes on by itself as soon as
 * the stream is silent, broken, or refused, and stops again when it is back.
 */
export const createStream = (
  config: StreamConfig,
  { createParser, newDecoder, takesRulesets }: StreamPorts,
): Stream => {
  const { clock, random, fetch, baseUrl, apiKey, pollIntervalMs, requestTimeoutMs, retryBaseMs } = config;
  let handles: LifecycleHandles | undefined;
  let turns: Turns | undefined;
  let cut = () => {};
  let waiting: unknown;
  let lastId: string | undefined;
  let retryMs: number | undefined;
  /** Entity tags: the one that was told, and the one that the client is known to have. */
  let told: string | undefined;
  let had: string | undefined;

  const catchUp = async () => {
    waiting = undefined;
    const asked = told;
    const tag = await handles?.refresh(asked!);
    // Remote answers have no tag: what was fetched after it was told is what was told.
    if (tag !== undefined) had = tag ?? asked;
  };
  const hear = ({ event, id, data }: StreamEvent) => {
    // What a later server may say beside these is none of our business.
    if (!EVENTS.includes(event!)) return;
    const message = JSON.parse(data);
    if (id) lastId = id;
    // Zero and NaN name no time.
    if (event === 'goodbye') retryMs = Math.max(0, Math.min(300 * retryBaseMs, +message.retry_ms));
    if (typeof message.etag !== 'string') return;
    told = message.etag;
    // A fetch under way may still bring an older one: whether this one stays is seen below, as ever.
    const payload = { data: message.ruleset, tag: message.etag };
    if (message.ruleset && handles?.receive(payload)) config.save(payload);
    const withinMs = +message.refetch_within_ms || 0;
    if (waiting === undefined) waiting = clock.setTimer(catchUp, Math.min(5000, withinMs) * random());
  };
  const listen = async (): Promise<Reply> => {
    const controller = config.newController();
    let reader: BodyReader | undefined;
    const abort = () => {
      controller.abort();
      // For a fetch of the host that has no ear for its signal any more.
      reader?.cancel().catch(() => {});
    };
    let timer: unknown;
    const allow = (ms: number) => {
      clock.clearTimer(timer);
      timer = clock.setTimer(abort, ms);
    };
    let reply: Reply = { status: 0 };
    cut = abort;
    retryMs = undefined;
    // Bytes of a stream that tells nothing put nothing off.
    had = undefined;
    try {
      allow(requestTimeoutMs);
      const { status, headers, body } = await fetch(
        `${baseUrl}/sdk/stream${takesRulesets ? '?mode=full' : ''}`,
        {
          method: 'GET',
          headers: {
            'x-api-key': apiKey,
            accept: 'text/event-stream',
            ...(lastId && { 'last-event-id': lastId }),
          },
          body: undefined,
          redirect: 'manual',
          keepalive: false,
          signal: controller.signal,
        },
      );
      reply = { status, headers };
      if (status !== 200) return reply;
      if (!headers.get('content-type')?.startsWith('text/event-stream')) return { ...reply, status: 404 };
      reader = body!.getReader();
      const parser = createParser({ onEvent: hear, maxBufferSize: MAX_EVENT_LENGTH });
      const decoder = newDecoder();
      for (;;) {
        allow(SILENCE_MS);
        const { value } = await reader.read();
        if (!value) return reply;
        parser.feed(decoder.decode(value, { stream: true }));
        if (had !== undefined && had === told) handles?.defer(pollIntervalMs * (0.9 + random() / 5));
      }
    } catch {
      return reply;
    } finally {
      clock.clearTimer(timer);
      abort();
    }
  };

  return {
    connect(mine) {
      turns?.stop();
      cut();
      handles = mine;
      turns = config.createTurns(
        config,
        listen,
        ({ status }) => (status === 200 ? retryMs || SPREAD * retryBaseMs * random() : undefined),
        PATIENCE,
      );
      turns.schedule(0);
    },
    disconnect() {
      turns?.stop();
      clock.clearTimer(waiting);
      waiting = undefined;
      handles = undefined;
      cut();
    },
  };
};

import { type Clock, createRequestScheduler, type Reply } from '@flagsvc/sdk-core/client';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Upstream } from './upstream.ts';

/** What a stream tells the relay. */
export interface StreamListener {
  /** The server has accepted the stream. */
  opened(): void;
  /** The server has the version with this tag; `changedFlags` is empty when unknown. */
  announced(tag: string, changedFlags: readonly string[]): void;
  /** An API key of the environment was revoked or changed. */
  keysChanged(): void;
  /** Some bytes arrived: the connection is alive. */
  alive(): void;
  /** The stream ended or could not be opened. */
  ended(): void;
}

export interface UpstreamStreamOptions {
  readonly upstream: Pick<Upstream, 'openStream'>;
  readonly listener: StreamListener;
  readonly clock: Clock;
  readonly random: () => number;
}

/** A connection to `GET /relay/stream` that is opened again whenever it ends. */
export interface UpstreamStream {
  start(): void;
  stop(): void;
}

const OPEN_TIMEOUT_MS = 10_000;
/** The server sends something every 15 s. If no byte arrives for 2.5 times as long, the connection is dead. */
const SILENCE_MS = 37_500;
const RETRY_BASE_MS = 1_000;
/** Relays spread their reconnects over this time, at most. */
const RETURN_MS = 2_000;
const GOODBYE_MAX_MS = 300_000;
const EVENT_LENGTH_MAX = 2 ** 20;
/** Other ids fit into no header, so with one of them the stream could never be opened again. */
const EVENT_ID = /^[\x21-\x7e]{1,200}$/;

export function createUpstreamStream(options: UpstreamStreamOptions): UpstreamStream {
  const { upstream, listener, clock, random } = options;
  let abort: (() => void) | undefined;
  let lastEventId: string | undefined;
  /** The delay that the server asked for when it closed the stream. */
  let returnMs: number | undefined;

  const onEvent = ({ event, id, data }: EventSourceMessage): void => {
    const message = JSON.parse(data) as Record<string, unknown>;
    if (id !== undefined && EVENT_ID.test(id)) lastEventId = id;
    // A revoked or rotated key of our own may concern other keys too.
    if (event === 'keys.changed' || event === 'goodbye') listener.keysChanged();
    if (event === 'goodbye') {
      returnMs = Math.min(GOODBYE_MAX_MS, Math.max(0, Number(message['retry_ms']) || 0));
    }
    const { etag, changed_flags } = message;
    if ((event === 'ruleset.updated' || event === 'heartbeat') && typeof etag === 'string') {
      listener.announced(etag, Array.isArray(changed_flags) ? changed_flags.map(String) : []);
    }
  };

  /** Reads one stream to its end. */
  const listen = async (): Promise<Reply> => {
    const controller = new AbortController();
    let timer: unknown;
    const limitTo = (ms: number): void => {
      clock.clearTimer(timer);
      timer = clock.setTimer(() => controller.abort(), ms);
    };
    abort = () => controller.abort();
    returnMs = undefined;
    let reply: Reply = { status: 0 };
    try {
      limitTo(OPEN_TIMEOUT_MS);
      const { status, headers, body } = await upstream.openStream(lastEventId, controller.signal);
      reply = { status, header: (name) => headers.get(name) };
      if (status !== 200) return reply;
      if (!/^text\/event-stream/.test(headers.get('content-type') ?? '')) return { ...reply, status: 404 };
      listener.opened();
      const parser = createParser({ onEvent, maxBufferSize: EVENT_LENGTH_MAX });
      const decoder = new TextDecoder();
      for await (const chunk of body) {
        limitTo(SILENCE_MS);
        parser.feed(decoder.decode(chunk, { stream: true }));
        listener.alive();
      }
      return reply;
    } catch {
      return reply;
    } finally {
      clock.clearTimer(timer);
      controller.abort();
      listener.ended();
    }
  };

  const scheduler = createRequestScheduler(
    { clock, random, retryBaseMs: RETRY_BASE_MS },
    listen,
    ({ status }) => (status === 200 ? returnMs || RETURN_MS * random() : undefined),
  );
  return {
    start: () => scheduler.schedule(0),
    stop() {
      scheduler.stop();
      abort?.();
    },
  };
}

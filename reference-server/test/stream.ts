import { createParser } from 'eventsource-parser';
import { expectDescribed } from './stream-schema.ts';

/** One event of a stream, its data read. */
export interface StreamEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they check
  readonly data: any;
}

/** A stream as a client has it. */
export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /** The next event; rejects when none comes within five seconds, or when ours is not as its schema says. */
  next(): Promise<StreamEvent>;
  /** Events that came and were not asked for. */
  waiting(): number;
  /** Comment lines so far. */
  comments(): number;
  /** The JSON of an answer that is no stream. */
  // biome-ignore lint/suspicious/noExplicitAny: the same
  body(): Promise<any>;
  /** Resolves to true when the server has ended the stream, to false when it broke. */
  readonly ended: Promise<boolean>;
  close(): void;
}

const PATIENCE_MS = 5_000;

export async function openStream(url: string, headers: Record<string, string> = {}): Promise<OpenStream> {
  const isOurs = /\/(sdk|relay)\/stream/.test(url);
  const ending = new AbortController();
  const response = await fetch(url, { headers, signal: ending.signal });
  const events: StreamEvent[] = [];
  let comments = 0;
  let wake = (): void => {};
  const parser = createParser({
    onEvent({ event, id, data }) {
      events.push({ event, id, data: JSON.parse(data) });
      wake();
    },
    onComment: () => {
      comments += 1;
    },
  });
  const read = async (): Promise<boolean> => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body!) parser.feed(decoder.decode(chunk, { stream: true }));
      return true;
    } catch {
      return false;
    }
  };
  const ended = response.status === 200 ? read() : Promise.resolve(false);
  return {
    status: response.status,
    headers: response.headers,
    async next() {
      if (events.length === 0) {
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(() => reject(new Error('no event came')), PATIENCE_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const { event, id, data } = events.shift()!;
      // Other protocols have messages of their own.
      if (isOurs) expectDescribed({ event, data, ...(id !== undefined && { id }) });
      return { event, id, data };
    },
    waiting: () => events.length,
    comments: () => comments,
    body: () => response.json(),
    ended,
    close: () => ending.abort(),
  };
}

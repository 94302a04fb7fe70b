import { createParser } from 'eventsource-parser';
import { expectDescribed } from './stream-schema.ts';

/** One event of a stream, with its data parsed. */
export interface StreamEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the data is what its test checks
  readonly data: any;
}

/** A stream as a client reads it. */
export interface OpenStream {
  readonly status: number;
  readonly headers: Headers;
  /** The next event. Rejects when none comes within five seconds, or when it does not match its schema. */
  next(): Promise<StreamEvent>;
  /** The number of events that `next` has not returned yet. */
  waiting(): number;
  /** The number of comment lines so far. */
  comments(): number;
  /** The JSON body of an answer that is not a stream. */
  // biome-ignore lint/suspicious/noExplicitAny: the shape of a refusal is what its test checks
  body(): Promise<any>;
  /** Resolves when the stream is over: to true if the server ended it, to false if the connection broke. */
  readonly ended: Promise<boolean>;
  close(): void;
}

const PATIENCE_MS = 5_000;

export async function openStream(url: string, headers: Record<string, string> = {}): Promise<OpenStream> {
  const hasSchema = /\/(sdk|relay)\/stream/.test(url);
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
          const timer = setTimeout(
            () => reject(new Error('No event came within five seconds.')),
            PATIENCE_MS,
          );
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const { event, id, data } = events.shift()!;
      // OFREP and flagd streams have other messages.
      if (hasSchema) expectDescribed({ event, data, ...(id !== undefined && { id }) });
      return { event, id, data };
    },
    waiting: () => events.length,
    comments: () => comments,
    body: () => response.json(),
    ended,
    close: () => ending.abort(),
  };
}

import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Calls `onEvent` for each event of a stream of server-sent events until it ends. */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  onEvent: (message: EventSourceMessage) => void,
): Promise<void> {
  const parser = createParser({ onEvent });
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
  }
}

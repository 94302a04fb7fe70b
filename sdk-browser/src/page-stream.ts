import type { ClientConfig } from '@flagsvc/sdk-core/client';
import { type BeginReading, createStream, type Stream } from '@flagsvc/sdk-core/stream';
import { createParser } from 'eventsource-parser';

/** No event that we know is longer than some thousand characters. */
const MAX_EVENT_LENGTH = 2 ** 20;

const beginReading: BeginReading = (onEvent) => {
  const decoder = new TextDecoder();
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent,
    onError: ({ type }) => {
      tooLong ||= type === 'max-buffer-size-exceeded';
    },
  });
  return (bytes) => {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (tooLong) throw new RangeError();
  };
};

/** The page's stream: a file of its own, loaded by pages that stream. */
export const createPageStream = (config: ClientConfig): Stream =>
  createStream(config, {
    newController: () => new AbortController(),
    loadReader: async () => beginReading,
  });

import type { StreamPorts } from '@flagsvc/sdk-core/stream';

/** No event that we know is longer than some thousand characters. */
const MAX_EVENT_LENGTH = 2 ** 20;

/** Reads streams with eventsource-parser, loaded when the first one is opened. */
export const streamPorts: StreamPorts = {
  newController: () => new AbortController(),
  async loadReader() {
    const { createParser } = await import('eventsource-parser');
    return (onEvent) => {
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
  },
};

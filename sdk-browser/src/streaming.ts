/** The door for pages that stream. */
import type { ClientConfig } from '@flagsvc/sdk-core/client';
import { createStream, readEvents, type Stream } from '@flagsvc/sdk-core/stream';

/**
 * Hand it to `createBrowserClient` as `streaming`: one visible tab keeps a stream open for all, by which the server
 * tells of a change at once. Polling goes on whenever there is no stream.
 */
export const streaming = (config: ClientConfig): Stream =>
  createStream(config, {
    newController: () => new AbortController(),
    loadReader: async () => (onEvent) => {
      const decoder = new TextDecoder();
      const read = readEvents(onEvent);
      return (bytes) => read(decoder.decode(bytes, { stream: true }));
    },
  });

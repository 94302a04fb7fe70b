/** The door for pages that stream. */
import { createStream, readEvents } from '@flagsvc/sdk-core/stream';
import type { CreateStream } from './options.ts';

/**
 * Hand it to `createBrowserClient` as `streaming`: one visible tab keeps a stream open for all, by which the server
 * tells of a change at once. Polling goes on whenever there is no stream.
 */
export const streaming: CreateStream = (config) =>
  createStream(config, {
    createTurns: config.createTurns,
    newController: () => new AbortController(),
    loadReader: async () => (onEvent) => {
      const decoder = new TextDecoder();
      const read = readEvents(onEvent);
      return (bytes) => read(decoder.decode(bytes, { stream: true }));
    },
  });

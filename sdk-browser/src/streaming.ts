/** The door for pages that stream. */
import { type CreateStream, createStream } from '@flagsvc/sdk-core/stream';
import { createParser } from 'eventsource-parser';

/**
 * Hand it to `createBrowserClient` as `streaming`: one visible tab keeps a stream open for all, by which the server
 * tells of a change at once. Polling goes on whenever there is no stream.
 */
export const streaming: CreateStream = (config) =>
  createStream(config, {
    createParser,
    newDecoder: () => new TextDecoder(),
  });

/** The entry point for pages that stream. */
import { type CreateStream, createStream } from '@flagsvc/sdk-core/stream';
import { createParser } from 'eventsource-parser';

/**
 * The value of the option `streaming` of `createBrowserClient`: one visible tab keeps a stream open for all tabs, on
 * which the server announces each change at once. Tabs poll whenever there is no stream.
 */
export const streaming: CreateStream = (config) =>
  createStream(config, {
    createParser,
    newDecoder: () => new TextDecoder(),
  });

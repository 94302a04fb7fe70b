/** The entry point for streaming at the edge, in Deno and in Bun. */
import { type CreateStream, createStream } from '@flagsvc/sdk-core/stream';
import { createParser } from 'eventsource-parser';

/**
 * The value of the option `streaming` of `createNodeClient`: the client keeps a stream open, on which the server
 * announces each change at once. The client polls whenever there is no stream.
 */
export const streaming: CreateStream = (config) =>
  createStream(config, {
    createParser,
    newDecoder: () => new TextDecoder(),
    takesRulesets: true,
  });

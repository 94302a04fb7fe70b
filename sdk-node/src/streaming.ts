/** The door for clients that are handed their stream: at the edge, in Deno and in Bun. */
import { type CreateStream, createStream } from '@flagsvc/sdk-core/stream';
import { createParser } from 'eventsource-parser';

/**
 * Hand it to `createNodeClient` as `streaming`: the client keeps a stream open, by which the server tells of a change
 * at once. Polling goes on whenever there is no stream.
 */
export const streaming: CreateStream = (config) =>
  createStream(config, {
    createParser,
    newDecoder: () => new TextDecoder(),
    takesRulesets: true,
  });

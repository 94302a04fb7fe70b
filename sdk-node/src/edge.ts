/**
 * The entry point for runtimes without Node's built-ins: Workers, edge functions, Deno, Bun. It uses only web standards.
 */

import { type NodeClient, parseServerOptions, type ServerClientOptions } from './client/options.ts';
import { createServerClient } from './client/server-client.ts';
import { createBodyDecoder } from './platform/body-decoder.ts';
import { systemClock } from './platform/web-platform.ts';

export type {
  NodeClient,
  ServerClientOptions,
  ServerClientOptions as NodeClientOptions,
} from './client/options.ts';
export type * from './client/public-types.ts';

/**
 * Creates a client and starts fetching. Where timers stop between requests, call `flush()` before a request ends.
 * Throws a TypeError that names a bad option.
 */
export const createNodeClient = (options: ServerClientOptions): NodeClient => {
  return createServerClient(parseServerOptions(options), {
    clock: systemClock,
    ...createBodyDecoder(),
    // The text contains no explanation, to keep the bundle small; the README explains the codes.
    textOf: ({ code, detail }) => `flagsvc: ${code} ${detail}`,
    lifecycles: [],
  }).client;
};

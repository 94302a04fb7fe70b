/** The door for runtimes without Node's built-ins: Workers, edge functions, Deno, Bun. Everything is a web standard. */

import { type NodeClient, parseServerOptions, type ServerClientOptions } from './client/options.ts';
import { createLog, createServerClient } from './client/server-client.ts';
import { createCodec } from './platform/codec.ts';
import { systemClock, webFetch } from './platform/web-platform.ts';

export type {
  NodeClient,
  ServerClientOptions,
  ServerClientOptions as NodeClientOptions,
} from './client/options.ts';
export type * from './client/public-types.ts';

/**
 * Creates a client and starts fetching. Where timers stop between requests, call `flush()` before one ends. Throws a
 * TypeError that names a bad option.
 */
export const createNodeClient = (options: ServerClientOptions): NodeClient => {
  const parsed = parseServerOptions(options);
  return createServerClient(parsed, {
    clock: systemClock,
    fetch: webFetch(parsed.fetch),
    codec: createCodec(),
    // Codes without prose: bytes count here, and the table of codes is in the manual.
    log: createLog(parsed, ({ code, detail }) => `flagsvc: ${code} ${detail}`),
    lifecycles: [],
  });
};

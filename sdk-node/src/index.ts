/** The entry point for Node. */
import { createClientOn } from './client/node-client.ts';
import type { NodeClient, NodeClientOptions } from './client/options.ts';
import { hostClock, runDetached } from './platform/host-clock.ts';

export type { NodeClient, NodeClientOptions, ServerClientOptions } from './client/options.ts';
export type * from './client/public-types.ts';

/**
 * Creates a client and starts fetching. The process may exit whenever it has nothing else to do: events are sent
 * first. Throws a TypeError that names a bad option.
 */
export const createNodeClient = (options: NodeClientOptions): NodeClient =>
  runDetached(createClientOn, hostClock, options);

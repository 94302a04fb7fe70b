/** The entry point for Node. */
import { createClientOn } from './client/node-client.ts';
import type { NodeClient, NodeClientOptions } from './client/options.ts';
import { hostClock, runDetached } from './platform/host-clock.ts';

export type { NodeClient, NodeClientOptions, ServerClientOptions } from './client/options.ts';
export type * from './client/public-types.ts';

/**
 * Creates a client and starts fetching. The client does not keep the process alive: pending events are sent before the
 * process exits. Throws a TypeError that names a bad option.
 */
export const createNodeClient = (options: NodeClientOptions): NodeClient =>
  runDetached(createClientOn, hostClock, options);

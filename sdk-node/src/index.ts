/** The entry point for Node. */

import type { MonitoredClient } from './client/client-monitor.ts';
import { createClientOn } from './client/node-client.ts';
import type { NodeClientOptions } from './client/options.ts';
import { hostClock, runDetached } from './platform/host-clock.ts';

export type { MonitoredClient, NodeClientStats } from './client/client-monitor.ts';
export type { NodeClient, NodeClientOptions, ServerClientOptions } from './client/options.ts';
export type * from './client/public-types.ts';

/**
 * Creates a client and starts fetching. The client does not keep the process alive: pending events are sent before the
 * process exits. Throws a TypeError that names a bad option.
 */
export const createNodeClient = (options: NodeClientOptions): MonitoredClient =>
  runDetached(createClientOn, hostClock, options);

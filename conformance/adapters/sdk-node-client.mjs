/** A client of sdk-node as the kit creates it, in the adapter's own thread or elsewhere. */
import { createNodeClient } from '@flagsvc/sdk-node';
import { clientCommands } from './lib/client-commands.mjs';

const create = (config, network, onLog) => {
  const { seed: _seed, stream, ...options } = config;
  return createNodeClient({
    ...options,
    ...(stream && { streaming: true }),
    fetch: network.fetch,
    logger: (fault, text) => onLog(`${text} ${JSON.stringify(fault)}`),
  });
};

export const nodeClientCommands = () => clientCommands({ create });

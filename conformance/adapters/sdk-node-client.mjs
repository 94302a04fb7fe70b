/** A client of sdk-node as the kit creates it, in the adapter's own thread or elsewhere. */
import { clientCommands } from './lib/client-commands.mjs';
import { createNodeClient } from './lib/sdk-node.mjs';

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

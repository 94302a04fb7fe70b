import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a free port on 127.0.0.1, for servers whose address must be known before they listen. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
};

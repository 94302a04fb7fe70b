import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Outside of the range from which systems give ports to servers that listen on port 0 (32768 and above on Linux, 49152
// and above elsewhere). Otherwise such a server of another test could take a port between its discovery and its use.
const FIRST = 10_240;
const LAST = 32_767;

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
};

/** Finds a free port on 127.0.0.1, for servers whose address must be known before they listen. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if (await isFree(port)) return port;
  }
};

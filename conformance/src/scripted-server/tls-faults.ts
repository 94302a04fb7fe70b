import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/**
 * What goes wrong before a request is even sent.
 *
 * | trap | what the client meets |
 * |---|---|
 * | `expired` | a certificate for this very address that ended in 2020, and that nobody has signed |
 * | `slow-tls` | a handshake that is never answered |
 */
export const TRAPS = ['expired', 'slow-tls'] as const;
export type Trap = (typeof TRAPS)[number];

/** Open traps; each is set when it is first asked for. */
export interface Traps {
  /** The base address of a trap. */
  set(trap: Trap): Promise<string>;
  /** Connections whose handshake hangs. */
  held(): number;
  close(): Promise<void>;
}

/** `onRequest` is told of whoever spoke in spite of the certificate. */
export const createTraps = (onRequest: (path: string) => void): Traps => {
  const open = new Map<Trap, Promise<Server>>();
  const hanging = new Set<Socket>();
  const make: Readonly<Record<Trap, () => Server>> = {
    expired: () =>
      createTlsServer({ key: KEY, cert: CERTIFICATE, keepAliveTimeout: 0 }, (request, response) => {
        onRequest(request.url ?? '/');
        response.end('{"data":{}}');
      }),
    'slow-tls': () =>
      createServer((socket) => {
        hanging.add(socket);
        socket.on('error', () => {}).once('close', () => hanging.delete(socket));
        // Its end is not seen unless it is read.
        socket.resume();
      }),
  };
  const listen = (server: Server): Promise<Server> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(server));
    });
  return {
    async set(trap) {
      const found = open.get(trap) ?? listen(make[trap]());
      open.set(trap, found);
      return `https://127.0.0.1:${((await found).address() as AddressInfo).port}/api/v1`;
    },
    held: () => hanging.size,
    async close() {
      for (const socket of hanging) socket.destroy();
      for (const listening of open.values()) {
        const server = await listening;
        (server as { closeAllConnections?: () => void }).closeAllConnections?.();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
};

/** No secret: nobody trusts it, and it ended on 2 January 2020. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgbFNz5wLzZzYiw5AP
GYZHZwItvpytRVUtSoEz9cm9SHGhRANCAARCeAWkEwqrIB4SuounHoWkgRF2ZTtL
4M7IFjBT61MM7ysYRoMbBzn8q91YN6AyyqzFEkOjq355tsKM+XEHE6MR
-----END PRIVATE KEY-----`;

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBZDCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFleHBpcmVk
LmxvY2FsaG9zdDAeFw0yMDAxMDEwMDAwMDBaFw0yMDAxMDIwMDAwMDBaMBwxGjAY
BgNVBAMMEWV4cGlyZWQubG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEQngFpBMKqyAeErqLpx6FpIERdmU7S+DOyBYwU+tTDO8rGEaDGwc5/KvdWDeg
MsqsxRJDo6t+ebbCjPlxBxOjEaM9MDswGgYDVR0RBBMwEYcEfwAAAYIJbG9jYWxo
b3N0MB0GA1UdDgQWBBRHYletkfKiNYd6wpRgj0HGGWa3VTAKBggqhkjOPQQDAgNI
ADBFAiBQx+5LkWUqW9cLqzMbTWIOfLemIF0X/qacg6dIgyv9xwIhAJThOjSIz+Bw
NVNUJQuRLT7CqKhk1YgaHXWQdWRF5Bfn
-----END CERTIFICATE-----`;

import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/**
 * Faults of a TLS connection, before any request is sent.
 *
 * | fault | what the client gets |
 * |---|---|
 * | `expired` | a self-signed certificate for the right address that expired in 2020 |
 * | `slow-tls` | no answer to its handshake |
 */
export const TLS_FAULTS = ['expired', 'slow-tls'] as const;
export type TlsFault = (typeof TLS_FAULTS)[number];

/** One server per TLS fault, started on first use. */
export interface TlsFaultServers {
  baseUrlOf(fault: TlsFault): Promise<string>;
  /** How many connections wait for their handshake. */
  held(): number;
  close(): Promise<void>;
}

/** `onRequest` is called for each request that a client sends despite the certificate. */
export const createTlsFaultServers = (onRequest: (path: string) => void): TlsFaultServers => {
  const open = new Map<TlsFault, Promise<Server>>();
  const hanging = new Set<Socket>();
  const make: Readonly<Record<TlsFault, () => Server>> = {
    expired: () =>
      createTlsServer({ key: KEY, cert: CERTIFICATE, keepAliveTimeout: 0 }, (request, response) => {
        onRequest(request.url ?? '/');
        response.end('{"data":{}}');
      }),
    'slow-tls': () =>
      createServer((socket) => {
        hanging.add(socket);
        socket.on('error', () => {}).once('close', () => hanging.delete(socket));
        // Node notices the end of a connection only while it reads from the socket.
        socket.resume();
      }),
  };
  const listen = (server: Server): Promise<Server> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(server));
    });
  return {
    async baseUrlOf(fault) {
      const found = open.get(fault) ?? listen(make[fault]());
      open.set(fault, found);
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

/** Not a secret: nothing trusts the certificate, and it expired on 2 January 2020. */
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

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The URL of a listening server, by the host name from the configuration. */
export function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a listening server accepts connections of this machine only. */
export function isLoopback(server: Server): boolean {
  const { address } = server.address() as AddressInfo;
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

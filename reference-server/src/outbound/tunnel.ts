import { isIP, type Socket } from 'node:net';

// Not imported, for a faster start (see outbound.ts).
const http = process.getBuiltinModule('node:http');
const tls = process.getBuiltinModule('node:tls');

/** The far end of a tunnel: checked addresses, in the order to try. */
export interface TunnelEnd {
  readonly addresses: readonly string[];
  readonly port: number;
}

/**
 * Opens a CONNECT tunnel through the proxy to the first address that the proxy can reach. The proxy gets addresses
 * rather than the name, because the addresses that it resolves itself would not be checked.
 */
export async function openTunnel(
  proxy: URL,
  { addresses, port }: TunnelEnd,
  signal: AbortSignal,
): Promise<Socket> {
  let refusal: unknown;
  for (const address of addresses) {
    try {
      return await connectBy(proxy, `${isIP(address) === 6 ? `[${address}]` : address}:${port}`, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

function connectBy(proxy: URL, target: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connect = http.request({
      host: bare(proxy.hostname),
      port: Number(proxy.port || 80),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...authorizationOf(proxy) },
      agent: false,
      signal,
    });
    connect.once('error', reject);
    connect.once('connect', ({ statusCode = 0 }, socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket as Socket);
        return;
      }
      socket.destroy();
      reject(new Error(`the proxy answers ${statusCode}`));
    });
    connect.end();
  });
}

/** Opens TLS through the tunnel; the certificate must be that of the URL's host, not of the proxy. */
export function secureTunnel(tunnel: Socket, url: URL): Socket {
  const host = bare(url.hostname);
  const servername = isIP(host) === 0 ? host : '';
  return tls.connect({ socket: tunnel, host, servername, ALPNProtocols: ['http/1.1'] });
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function bare(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

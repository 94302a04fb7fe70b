import type { RequestOptions } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import { createAddressCheck, type OutboundAllowance } from './address.ts';
import { createNameLookup, type NameLookup, type Resolved } from './resolve-names.ts';
import { openTunnel, secureTunnel } from './tunnel.ts';

// Importing node:http also loads undici, which adds 50 ms to the start.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

/**
 * Why an outbound request failed; tenants see only this. A name that resolves to a forbidden address is `dns_failed` too,
 * so that tenants cannot probe which private names exist.
 */
export type OutboundFault = 'url_not_allowed' | 'dns_failed' | 'unreachable' | 'timed_out';

/** A request to a URL that a tenant configured. */
export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** The answer, or the reason why there is none. */
export type OutboundReply =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** The first `bodyBytesMax` bytes of the body. */
      readonly body: Uint8Array;
    }
  | {
      readonly ok: false;
      readonly fault: OutboundFault;
      /** The reason, for the log. Tenants do not see it. */
      readonly detail: string;
    };

/** The only way the server calls other systems. */
export interface Outbound {
  /** What is wrong with the URL itself; undefined when nothing is. */
  faultOf(url: string): string | undefined;
  /** Sends a request. Never rejects: a failure is a reply with a fault. */
  send(request: OutboundRequest): Promise<OutboundReply>;
}

export interface OutboundOptions extends OutboundAllowance {
  /** True also allows `http:`, for development. */
  readonly allowHttp: boolean;
  /** Proxy for every request, `http://[user:password@]host:port`; default none. */
  readonly proxy?: string | undefined;
  /** Time to connect, in milliseconds, DNS and proxy included; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Time until the whole answer is read, in milliseconds; default 15,000. */
  readonly totalTimeoutMs?: number;
  /** Maximum bytes of an answer to read; default 16,384. */
  readonly bodyBytesMax?: number;
  /** Default: the system's hosts file and DNS. */
  readonly resolve?: NameLookup;
}

/**
 * Resolves the name, checks every address, and connects to a checked address, directly or through the proxy. A name
 * that resolves differently the second time (DNS rebinding) gains nothing. Follows no redirects; time and bytes are
 * bounded.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const { allowHttp, ports, resolve = createNameLookup() } = options;
  const { connectTimeoutMs = 5_000, totalTimeoutMs = 15_000, bodyBytesMax = 16 * 1024 } = options;
  const proxy = options.proxy === undefined ? undefined : new URL(options.proxy);
  const isAllowed = createAddressCheck(options);

  const faultOf = (text: string): string | undefined => {
    if (!URL.canParse(text)) return 'is not a URL';
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:'))
      return 'must begin with https://';
    if (url.username !== '' || url.password !== '') return 'must not contain credentials';
    const port = portOf(url);
    if (url.port !== '' && !ports.includes(port)) return `names port ${port}, which is not allowed`;
    const literal = literalOf(url);
    if (literal !== undefined && !isAllowed(literal)) return 'names an address that is not public';
    return undefined;
  };

  /** All addresses of the URL's host. Throws when one of them is forbidden. */
  const findAddresses = async (url: URL, signal: AbortSignal): Promise<readonly Resolved[]> => {
    const literal = literalOf(url);
    const found =
      literal === undefined
        ? await resolve(url.hostname, signal)
        : [{ address: literal, family: literal.includes(':') ? 6 : 4 }];
    if (found.length > 0 && found.every(({ address }) => isAllowed(address))) return found;
    throw new Error('an address of the name is not allowed');
  };

  return {
    faultOf,
    async send(request) {
      const fault = faultOf(request.url);
      if (fault !== undefined) return { ok: false, fault: 'url_not_allowed', detail: fault };
      const url = new URL(request.url);
      const deadline = AbortSignal.timeout(totalTimeoutMs);
      const connecting = AbortSignal.timeout(connectTimeoutMs);
      let addresses: readonly Resolved[];
      try {
        addresses = await findAddresses(url, connecting);
      } catch (error) {
        const detail = connecting.aborted ? `no answer in ${connectTimeoutMs} ms` : detailOf(error);
        return { ok: false, fault: 'dns_failed', detail: `${url.hostname}: ${detail}` };
      }
      let tunnel: Socket | undefined;
      try {
        if (proxy !== undefined) tunnel = await openTunnel(proxy, endOf(url, addresses), connecting);
        return await exchange(url, request, { addresses, tunnel, connecting, deadline, bodyBytesMax });
      } catch (error) {
        tunnel?.destroy();
        const timedOut = connecting.aborted || deadline.aborted;
        return { ok: false, fault: timedOut ? 'timed_out' : 'unreachable', detail: detailOf(error) };
      }
    },
  };
}

interface Exchange {
  readonly addresses: readonly Resolved[];
  /** The proxy's connection to one of the addresses; undefined without a proxy. */
  readonly tunnel: Socket | undefined;
  readonly connecting: AbortSignal;
  readonly deadline: AbortSignal;
  readonly bodyBytesMax: number;
}

function exchange(url: URL, request: OutboundRequest, limits: Exchange): Promise<OutboundReply> {
  const { tunnel, connecting, deadline, bodyBytesMax } = limits;
  return new Promise((settle, reject) => {
    const { request: send } = url.protocol === 'https:' ? https : http;
    const sent = send(url, {
      method: request.method,
      headers: { ...request.headers, 'content-length': String(request.body?.byteLength ?? 0) },
      ...connectionTo(url, limits),
      signal: deadline,
      maxHeaderSize: 16 * 1024,
    });
    const onConnectTimeout = (): void => void sent.destroy(new Error('no connection in time'));
    connecting.addEventListener('abort', onConnectTimeout);
    sent.once('socket', (socket) => {
      if (socket === tunnel) return connecting.removeEventListener('abort', onConnectTimeout);
      const event = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(event, () => connecting.removeEventListener('abort', onConnectTimeout));
    });
    let onError: (error: Error) => void = reject;
    sent.on('error', (error) => onError(error));
    sent.once('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const finish = (): void => {
        const body = Buffer.concat(chunks).subarray(0, bodyBytesMax);
        settle({ ok: true, status: response.statusCode!, headers: response.headers, body });
        response.destroy();
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= bodyBytesMax) finish();
      });
      response.once('end', finish);
      // The status has arrived, so an incomplete body does not matter.
      onError = finish;
      response.on('error', finish);
    });
    sent.end(request.body);
  });
}

/** Opens a new connection for each request, because the address of a pooled connection comes from an older look-up. */
function connectionTo(url: URL, { addresses, tunnel }: Exchange): RequestOptions {
  if (tunnel !== undefined) {
    return { createConnection: () => (url.protocol === 'https:' ? secureTunnel(tunnel, url) : tunnel) };
  }
  // Connects to the checked addresses; the name is still used for the certificate.
  const checked: LookupFunction = (_hostname, { all }, done) => {
    if (all === true) done(null, [...addresses]);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };
  return { lookup: checked, agent: false };
}

function endOf(url: URL, addresses: readonly Resolved[]) {
  return { addresses: addresses.map(({ address }) => address), port: portOf(url) };
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}

function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return bare.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(bare) ? bare : undefined;
}

/** The error's code, or its message if the code is not a text, as with `DOMException`. */
function detailOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  return typeof code === 'string' ? code : message;
}

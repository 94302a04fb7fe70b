import type { IncomingMessage } from 'node:http';

/** The one address of the dashboard, and how a request relates to it. */
export interface DashboardAddress {
  /** Such as `https://flags.example.com`. */
  readonly origin: string;
  readonly isHttps: boolean;
  /**
   * `own` for a request to the address; `loopback` for one to another name of this machine on the same port, which a
   * redirect can correct; `foreign` for all others, DNS rebinding included.
   */
  relationOf(request: IncomingMessage): 'own' | 'loopback' | 'foreign';
  /** True when the browser says that a page of this address sends the request. */
  isSameOrigin(request: IncomingMessage): boolean;
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** `url` is the configured address; `port` is where the dashboard listens. */
export function createDashboardAddress(url: string, port: number): DashboardAddress {
  const { origin, host, protocol } = new URL(url);
  const loopback = new Set([...LOOPBACK_NAMES].map((name) => (port === 80 ? name : `${name}:${port}`)));
  return {
    origin,
    isHttps: protocol === 'https:',
    relationOf({ headersDistinct }) {
      const hosts = headersDistinct['host'] ?? [];
      const given = hosts.length === 1 ? hosts[0]!.toLowerCase() : '';
      if (given === host) return 'own';
      return loopback.has(given) ? 'loopback' : 'foreign';
    },
    isSameOrigin({ headers }) {
      const site = headers['sec-fetch-site'];
      const isOwn = headers.origin === origin;
      // Not every address gets the header: browsers send it over https and to loopback names only.
      if (site === undefined) return isOwn;
      // The policy `no-referrer` makes the origin `null` in some requests of our own pages.
      return site === 'same-origin' && (isOwn || headers.origin === undefined || headers.origin === 'null');
    },
  };
}

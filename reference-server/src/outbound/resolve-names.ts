import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';

const { Resolver } = process.getBuiltinModule('node:dns').promises;

/** An address of a name. */
export interface Resolved {
  readonly address: string;
  readonly family: number;
}

/**
 * Resolves all addresses of a name. Rejects when the name has no addresses and, with the signal's reason, when the
 * signal aborts.
 */
export type NameLookup = (hostname: string, signal: AbortSignal) => Promise<readonly Resolved[]>;

export interface NameLookupOptions {
  /** DNS servers, `address` or `address:port`; default: the system's. */
  readonly servers?: readonly string[] | undefined;
  /** Default: the system's hosts file. */
  readonly hostsFile?: string | undefined;
  /** File with the search domains; default `/etc/resolv.conf`. */
  readonly searchFile?: string | undefined;
}

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
/** How long to wait for the other address family once one has answered (RFC 8305). */
const OTHER_FAMILY_MS = 50;
/** Codes after which the next search domain is tried. */
const NOT_HERE: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL']);
const NDOTS_MAX = 15;
const NO_DATA = Object.assign(new Error('the name has no address'), { code: 'ENODATA' });

/** One look-up, shared by its callers. */
interface Running {
  readonly found: Promise<readonly Resolved[]>;
  readonly canceller: AbortController;
  waiters: number;
}

/**
 * Resolves names with the hosts file and DNS. `dns.lookup` would use the thread pool and cannot be cancelled, so a few
 * names with dead servers would block all others. Concurrent look-ups of one name share one query, which is cancelled
 * when the last caller has gone.
 */
export function createNameLookup(options: NameLookupOptions = {}): NameLookup {
  const running = new Map<string, Running>();

  const start = (hostname: string): Running => {
    const canceller = new AbortController();
    const found = lookUp(hostname, options, canceller.signal).finally(() => {
      if (running.get(hostname) === one) running.delete(hostname);
    });
    // A cancelled look-up rejects when no caller is left to handle the error.
    found.catch(() => {});
    const one: Running = { found, canceller, waiters: 0 };
    running.set(hostname, one);
    return one;
  };

  return async (hostname, signal) => {
    signal.throwIfAborted();
    const one = running.get(hostname) ?? start(hostname);
    one.waiters += 1;
    try {
      return await untilAborted(one.found, signal);
    } finally {
      one.waiters -= 1;
      if (one.waiters === 0) {
        if (running.get(hostname) === one) running.delete(hostname);
        one.canceller.abort();
      }
    }
  };
}

/** Settles like `work`, or rejects with the signal's reason if the signal aborts first. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function lookUp(
  hostname: string,
  { servers, hostsFile = HOSTS_FILE, searchFile = '/etc/resolv.conf' }: NameLookupOptions,
  signal: AbortSignal,
): Promise<readonly Resolved[]> {
  const name = hostname.replace(/\.$/, '').toLowerCase();
  const listed = findInHosts(await readText(hostsFile), name);
  if (listed.length > 0) return listed;
  // `localhost` never goes to DNS (RFC 6761).
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'].map(toResolved);
  let fault: unknown;
  for (const candidate of candidatesOf(hostname, await readText(searchFile))) {
    try {
      return await queryDns(candidate, servers, signal);
    } catch (error) {
      signal.throwIfAborted();
      fault ??= error;
      if (!NOT_HERE.has((error as NodeJS.ErrnoException).code)) break;
    }
  }
  throw fault;
}

/** Addresses of a name in a hosts file: each line has an address and its names; `#` begins a comment. */
function findInHosts(text: string, name: string): readonly Resolved[] {
  if (!text.toLowerCase().includes(name)) return [];
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isListed = isIP(address!) !== 0 && names.some((one) => one.toLowerCase() === name);
    return isListed ? [toResolved(address!)] : [];
  });
}

/**
 * The names to query, by the rules of resolv.conf(5): a name with fewer dots than `ndots` is tried in the search
 * domains first, and a name that ends with a dot only as it is.
 */
function candidatesOf(hostname: string, text: string): readonly string[] {
  if (hostname.endsWith('.')) return [hostname];
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'search') domains = values;
    else if (keyword === 'domain') domains = values.slice(0, 1);
    else if (keyword === 'options') {
      const option = values.filter((value) => /^ndots:\d+$/.test(value)).at(-1);
      if (option !== undefined) ndots = Math.min(NDOTS_MAX, Number(option.slice('ndots:'.length)));
    }
  }
  const searched = domains
    .map((domain) => domain.replace(/^\.|\.$/g, ''))
    .filter((domain) => domain !== '')
    .map((domain) => `${hostname}.${domain}`);
  const dots = hostname.split('.').length - 1;
  return dots >= ndots ? [hostname, ...searched] : [...searched, hostname];
}

/** Queries DNS for both address families. */
async function queryDns(
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly Resolved[]> {
  // One resolver per name, because cancelling ends all queries of a resolver.
  const resolver = new Resolver();
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const addresses: string[] = [];
    const faults: NodeJS.ErrnoException[] = [];
    const queries = [resolver.resolve6(name), resolver.resolve4(name)].map((one) =>
      one.then(
        // Empty for an alias without addresses.
        (found) => void addresses.push(...found),
        (fault) => void faults.push(fault),
      ),
    );
    const both = Promise.all(queries);
    await Promise.race(queries);
    await (addresses.length > 0 ? Promise.race([both, setTimeout(OTHER_FAMILY_MS)]) : both);
    if (addresses.length > 0) return inOrder(addresses.map(toResolved));
    // A failed query is more informative than an address family without addresses.
    throw faults.find(({ code }) => code !== NO_DATA.code) ?? NO_DATA;
  } finally {
    signal.removeEventListener('abort', cancel);
    resolver.cancel();
  }
}

/** Puts the addresses of the family that this machine can reach first, because each unreachable address costs time. */
function inOrder(addresses: readonly Resolved[]): readonly Resolved[] {
  const first = hasIpv6() ? 6 : 4;
  return [
    ...addresses.filter(({ family }) => family === first),
    ...addresses.filter(({ family }) => family !== first),
  ];
}

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((all) =>
    all?.some(
      ({ family, internal, address }) => family === 'IPv6' && !internal && !address.startsWith('fe80:'),
    ),
  );
}

function toResolved(address: string): Resolved {
  return { address, family: isIP(address) };
}

/** The file's text; empty when it cannot be read. */
function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

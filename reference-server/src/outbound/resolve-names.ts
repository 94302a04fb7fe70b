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

/** Finds all addresses of a name. Rejects when there are none, and with the signal's reason when it aborts. */
export type NameLookup = (hostname: string, signal: AbortSignal) => Promise<readonly Resolved[]>;

export interface NameLookupOptions {
  /** `address` or `address:port`; default: those of the system. */
  readonly servers?: readonly string[] | undefined;
  /** Default: the system's hosts file. */
  readonly hostsFile?: string | undefined;
  /** Where search domains stand; default `/etc/resolv.conf`. */
  readonly searchFile?: string | undefined;
}

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
/** How long to wait for addresses of the other family once those of one are there (RFC 8305). */
const OTHER_FAMILY_MS = 50;
/** After these codes the next search domain is tried. */
const NOT_HERE: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL']);
const NDOTS_MAX = 15;
const NO_DATA = Object.assign(new Error('the name has no address'), { code: 'ENODATA' });

/** One look-up that several may wait for. */
interface Running {
  readonly found: Promise<readonly Resolved[]>;
  readonly canceller: AbortController;
  waiters: number;
}

/**
 * Looks names up in the hosts file and by DNS. Not by `dns.lookup`: it runs in two threads of the process and cannot be
 * cancelled, so that a few names whose servers do not answer hold up all others (decision 0185). Concurrent look-ups of
 * one name are one, which ends when the last one waiting for it has gone.
 */
export function createNameLookup(options: NameLookupOptions = {}): NameLookup {
  const running = new Map<string, Running>();

  const start = (hostname: string): Running => {
    const canceller = new AbortController();
    const found = lookUp(hostname, options, canceller.signal).finally(() => {
      if (running.get(hostname) === one) running.delete(hostname);
    });
    // Cancelled when nobody waits for it any more.
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

/** Rejects with the signal's reason when it aborts first. */
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
  // DNS is not asked about this machine (RFC 6761).
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'].map(toResolved);
  let fault: unknown;
  for (const candidate of candidatesOf(hostname, await readText(searchFile))) {
    try {
      return await ask(candidate, servers, signal);
    } catch (error) {
      signal.throwIfAborted();
      fault ??= error;
      if (!NOT_HERE.has((error as NodeJS.ErrnoException).code)) break;
    }
  }
  throw fault;
}

/** Each line is an address and its names; the rest after a `#` is a comment. */
function findInHosts(text: string, name: string): readonly Resolved[] {
  if (!text.toLowerCase().includes(name)) return [];
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isListed = isIP(address!) !== 0 && names.some((one) => one.toLowerCase() === name);
    return isListed ? [toResolved(address!)] : [];
  });
}

/**
 * The names to ask for, by the rules of resolv.conf(5): one with fewer dots than `ndots` is first looked for in the
 * search domains, one with a dot at its end nowhere else.
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
      const asked = values.filter((value) => /^ndots:\d+$/.test(value)).at(-1);
      if (asked !== undefined) ndots = Math.min(NDOTS_MAX, Number(asked.slice('ndots:'.length)));
    }
  }
  const searched = domains
    .map((domain) => domain.replace(/^\.|\.$/g, ''))
    .filter((domain) => domain !== '')
    .map((domain) => `${hostname}.${domain}`);
  const dots = hostname.split('.').length - 1;
  return dots >= ndots ? [hostname, ...searched] : [...searched, hostname];
}

/** Asks DNS for the addresses of both families. */
async function ask(
  name: string,
  servers: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly Resolved[]> {
  // One for each name, since cancelling ends all that a resolver was asked.
  const resolver = new Resolver();
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const addresses: string[] = [];
    const faults: NodeJS.ErrnoException[] = [];
    const asked = [resolver.resolve6(name), resolver.resolve4(name)].map((one) =>
      one.then(
        // Empty for a name that stands for another one without addresses.
        (found) => void addresses.push(...found),
        (fault) => void faults.push(fault),
      ),
    );
    const both = Promise.all(asked);
    await Promise.race(asked);
    await (addresses.length > 0 ? Promise.race([both, setTimeout(OTHER_FAMILY_MS)]) : both);
    if (addresses.length > 0) return inOrder(addresses.map(toResolved));
    // That there is no address of one family says less than what kept the other from being found.
    throw faults.find(({ code }) => code !== NO_DATA.code) ?? NO_DATA;
  } finally {
    signal.removeEventListener('abort', cancel);
    resolver.cancel();
  }
}

/** IPv6 first, where this machine has it: each address that cannot be reached costs time. */
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

/** Empty when it is not there or cannot be read. */
function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

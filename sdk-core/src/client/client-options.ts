import type { Ports } from './ports.ts';

/** Options of every client. Each number must be at least a thousandth of its default. */
export interface ClientOptions {
  /** SDK key of one environment; sent only as `X-API-Key` ("Authentication"). Required. */
  readonly apiKey: string;
  /** Address of the API with its prefix, such as `https://flags.example.com/api/v1`. Required. */
  readonly baseUrl: string;
  /** A ruleset to answer from until the first fetch succeeds; it wins over the cache. Default: none. */
  readonly bootstrap?: unknown;
  /** Time from the end of one fetch to the start of the next, ±10 % ("SDK flow", 4). Default 30,000 ms. */
  readonly pollIntervalMs?: number | undefined;
  /** Longest time for a complete request. Default 10,000 ms. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Wait after the first failure. It doubles with each further failure, up to 300 times `retryBaseMs`. After a refused
   * key, the wait is at least 30 times `retryBaseMs`. Default 1,000 ms.
   */
  readonly retryBaseMs?: number | undefined;
  /** Maximum size of a payload; a larger one is refused. Default 33,554,432 (32 MiB). */
  readonly maxBodyBytes?: number | undefined;
  /** False switches events off: none are recorded or sent. Default true. */
  readonly events?: boolean | undefined;
  /** Longest time until an evaluation's count is sent, ±10 %. Default 10,000 ms. */
  readonly flushIntervalMs?: number | undefined;
  /**
   * Longest body of a batch of events, in characters; a batch may exceed it by its last event. Default 120,000. With a
   * key of kind `client` set 15,000, because the server accepts at most 64 KiB with such a key.
   */
  readonly maxBatchLength?: number | undefined;
  /** Maximum number of counters and single events in memory; further events are counted as dropped. Default 5,000. */
  readonly maxPendingEvents?: number | undefined;
  /** Name of your application, sent with events. Default: none. */
  readonly app?: string | undefined;
}

/** The options that the client machine reads, with their defaults. */
type Settings = Omit<
  { readonly [Name in keyof ClientOptions]-?: NonNullable<ClientOptions[Name]> },
  'bootstrap' | 'app'
>;

/** Everything that `createClient` needs besides a source. */
export type ClientConfig = Settings & Ports;

/** Every option and its default. */
export const CLIENT_DEFAULTS: { readonly [Name in keyof ClientOptions]-?: unknown } = {
  apiKey: '',
  baseUrl: '',
  bootstrap: undefined,
  pollIntervalMs: 30_000,
  requestTimeoutMs: 10_000,
  retryBaseMs: 1000,
  maxBodyBytes: 2 ** 25,
  events: true,
  flushIntervalMs: 10_000,
  maxBatchLength: 120_000,
  maxPendingEvents: 5000,
  app: '',
};

/** Throws a TypeError that names the option and the remedy, unless the option is valid. */
export const demand = (isValid: unknown, name: string, remedy: string): void => {
  if (!isValid) throw new TypeError(`flagsvc: option ${name} ${remedy}`);
};

/**
 * The options with their defaults. Throws a TypeError that names the first bad option and the remedy, but never quotes
 * its value, which may be a key.
 */
export const parseOptions = <Options extends ClientOptions>(
  options: Options | undefined,
  defaults: { readonly [Name in keyof Options]-?: unknown },
): Settings & Options => {
  const parsed: Record<string, unknown> = { ...defaults };
  // Own properties only: a page may have extended `Object.prototype`.
  for (const name of Object.keys({ ...options })) {
    // Typed as a number for the comparison below, which happens only if the value is a number.
    const value = (options as Record<string, unknown>)[name] as number | undefined;
    const usual = parsed[name];
    demand(Object.hasOwn(defaults, name), name, `is unknown; use one of ${Object.keys(defaults)}`);
    if (value === undefined) continue;
    const fits =
      typeof value === typeof usual &&
      (typeof usual !== 'number' || (value >= usual / 1000 && value < 2 ** 31));
    demand(usual === undefined || fits, name, `must be a ${typeof usual}${usual ? ` such as ${usual}` : ''}`);
    parsed[name] = value;
  }
  const { apiKey, baseUrl, signal } = parsed as unknown as Settings & {
    signal?: { addEventListener?: unknown };
  };
  // The key must be valid in a header; otherwise the error of `fetch` would quote it.
  demand(/^[!-~]+$/.test(apiKey), 'apiKey', 'must be an SDK key');
  demand(/^https?:\/\/[^\s?#@]+$/.test(baseUrl), 'baseUrl', 'must be like https://host/api/v1');
  demand(!signal || signal.addEventListener, 'signal', 'must be an AbortSignal');
  for (const name of ['logger', 'fetch', 'streaming'])
    demand(!parsed[name] || typeof parsed[name] === 'function', name, 'must be a function');
  return { ...(parsed as unknown as Settings & Options), baseUrl: baseUrl.replace(/\/+$/, '') };
};

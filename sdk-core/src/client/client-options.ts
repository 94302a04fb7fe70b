import type { Ports } from './ports.ts';

/** What every client is created with, whatever its runtime. No number may be below a thousandth of its default. */
export interface ClientOptions {
  /** SDK key of one environment; sent as `X-API-Key` and nowhere else ("Authentication"). Required. */
  readonly apiKey: string;
  /** Address of the API with its prefix, for example `https://flags.example.com/api/v1`. Required. */
  readonly baseUrl: string;
  /** A ruleset to answer from until the first fetch is through; it wins over the cache. Default: none. */
  readonly bootstrap?: unknown;
  /** From the end of one fetch to the start of the next, ±10 % ("SDK flow", 4). Default 30,000 ms. */
  readonly pollIntervalMs?: number | undefined;
  /** Longest time for a whole request. Default 10,000 ms. */
  readonly requestTimeoutMs?: number | undefined;
  /** First wait after a failure; the slow regime starts at 30 times, waits end at 300 times. Default 1,000 ms. */
  readonly retryBaseMs?: number | undefined;
  /** A longer payload is refused. Default 33,554,432 (32 MiB). */
  readonly maxBodyBytes?: number | undefined;
  /** False records and sends no events. Default: true. */
  readonly events?: boolean | undefined;
  /** Longest time from an evaluation to the sending of its count, ±10 %. Default 10,000 ms. */
  readonly flushIntervalMs?: number | undefined;
  /**
   * Longest body of a batch of events, in characters; one long event may exceed it. Default 120,000. With the key of a
   * page set 15,000, since the server takes 64 KiB from it.
   */
  readonly maxBatchLength?: number | undefined;
  /** Most outcomes and single events that are kept unsent; what comes on top is dropped and counted. Default 5,000. */
  readonly maxPendingEvents?: number | undefined;
  /** Name of your application, sent with events. Default: none. */
  readonly app?: string | undefined;
}

/** The options with their defaults, without those that only the outer package reads. */
type Settings = Omit<
  { readonly [Name in keyof ClientOptions]-?: NonNullable<ClientOptions[Name]> },
  'bootstrap' | 'app'
>;

/** Everything that a client is made of. */
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

/** Throws a TypeError that names the option and the remedy, unless the option is good. */
export const demand = (good: unknown, name: string, remedy: string): void => {
  if (!good) throw new TypeError(`flagsvc: option ${name} ${remedy}`);
};

/**
 * The options with their defaults. Throws a TypeError that names the first bad option and the remedy; never its
 * value, which may be a key.
 */
export const parseOptions = <Options extends ClientOptions>(
  options: Options | undefined,
  defaults: { readonly [Name in keyof Options]-?: unknown },
): Settings & Options => {
  const parsed: Record<string, unknown> = { ...defaults };
  // Its own options, whatever a page has put on every object.
  for (const name of Object.keys({ ...options })) {
    // Whatever it is, it is compared as a number only if it is one.
    const value = (options as Record<string, unknown>)[name] as number | undefined;
    const usual = parsed[name];
    demand(Object.hasOwn(defaults, name), name, `is unknown; there are ${Object.keys(defaults)}`);
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
  // What a header can carry; anything else would be quoted by the error of `fetch`.
  demand(/^[!-~]+$/.test(apiKey), 'apiKey', 'must be the SDK key of your environment');
  demand(/^https?:\/\/[^\s?#@]+$/.test(baseUrl), 'baseUrl', 'must be like https://host/api/v1');
  demand(!signal || signal.addEventListener, 'signal', 'must be an AbortSignal');
  for (const name of ['logger', 'fetch'])
    demand(!parsed[name] || typeof parsed[name] === 'function', name, 'must be a function');
  return { ...(parsed as unknown as Settings & Options), baseUrl: baseUrl.replace(/\/+$/, '') };
};

import {
  type LogLevel,
  listOf,
  oneOf,
  parseRateLimits,
  type RateLimits,
  readHost,
  readLogLevel,
  readOrigin,
  readPort,
  readProxy,
  type Variable,
} from '@flagsvc/reference-server/data-plane';
import { readBytes, readDuration, readKey, readSigningKey, readUpstreamUrl } from './config-values.ts';

/** How a relay learns of new versions. */
export type SyncMode = 'stream' | 'poll';

/** Every variable of the relay, by its field in `RelayConfig`. `--help` prints them in this order. */
export const VARIABLES = {
  upstreamUrl: {
    name: 'FLAGSVC_RELAY_UPSTREAM_URL',
    meaning: 'address of the server whose flags the relay serves',
    shownDefault: 'required',
    fallback: undefined,
    remedy: 'set it to the address of the server, such as "https://flags.example.com".',
    read: readUpstreamUrl,
  } as Variable<string>,
  keys: {
    name: 'FLAGSVC_RELAY_KEYS',
    meaning: 'API keys of kind "relay", one for each environment, separated by commas',
    shownDefault: 'required, unless FLAGSVC_RELAY_KEYS_FILE is set',
    fallback: [],
    read: listOf(readKey),
  } as Variable<readonly string[]>,
  keysFile: {
    name: 'FLAGSVC_RELAY_KEYS_FILE',
    meaning: 'a file with these keys, separated by commas or line breaks',
    shownDefault: 'none',
    fallback: null,
    read: String,
  } as Variable<string | null>,
  host: {
    name: 'FLAGSVC_RELAY_HOST',
    meaning: 'address to listen on; "0.0.0.0" for all interfaces',
    shownDefault: '127.0.0.1',
    fallback: '127.0.0.1',
    read: readHost,
  } as Variable<string>,
  port: {
    name: 'FLAGSVC_RELAY_PORT',
    meaning: 'port to listen on; 0 for any free port',
    shownDefault: '8100',
    fallback: 8100,
    read: readPort,
  } as Variable<number>,
  dataDir: {
    name: 'FLAGSVC_RELAY_DATA_DIR',
    meaning: 'folder for rulesets, keys and waiting events, which must survive restarts',
    shownDefault: '.data/relay',
    fallback: '.data/relay',
    read: String,
  } as Variable<string>,
  mode: {
    name: 'FLAGSVC_RELAY_MODE',
    meaning: '"stream" to learn of changes at once, or "poll" where connections cannot stay open',
    shownDefault: 'stream',
    fallback: 'stream',
    read: oneOf(['stream', 'poll']),
  } as Variable<SyncMode>,
  keyTrustMs: {
    name: 'FLAGSVC_RELAY_KEY_TRUST',
    meaning: 'how long known API keys work while the server does not answer, such as "24h"',
    shownDefault: '24h',
    fallback: 86_400_000,
    read: readDuration,
  } as Variable<number>,
  spoolMaxBytes: {
    name: 'FLAGSVC_RELAY_SPOOL_MAX',
    meaning: 'disk space for waiting events, such as "256MiB"; beyond it, the oldest are dropped',
    shownDefault: '256MiB',
    fallback: 256 * 2 ** 20,
    read: readBytes,
  } as Variable<number>,
  signingKeys: {
    name: 'FLAGSVC_RELAY_SIGNING_KEYS',
    meaning:
      'public keys that sign rulesets: "x" of /.well-known/flagsvc-ruleset-keys.json, separated by commas',
    shownDefault: 'those of the server at the first start',
    fallback: [],
    read: listOf(readSigningKey),
  } as Variable<readonly string[]>,
  metricsPort: {
    name: 'FLAGSVC_RELAY_METRICS_PORT',
    meaning: 'port for Prometheus to read /metrics from',
    shownDefault: 'none',
    fallback: null,
    read: readPort,
  } as Variable<number | null>,
  rateLimits: {
    name: 'FLAGSVC_RELAY_RATE_LIMITS',
    meaning: 'limits of requests a minute, such as "evaluation=10000,events=1000"',
    shownDefault: 'none',
    fallback: {},
    read: parseRateLimits,
  } as Variable<Partial<RateLimits>>,
  trustProxy: {
    name: 'FLAGSVC_TRUST_PROXY',
    meaning: 'addresses or ranges of proxies whose X-Forwarded-For is trusted',
    shownDefault: 'none',
    fallback: [],
    read: listOf(readProxy),
  } as Variable<readonly string[]>,
  corsOrigins: {
    name: 'FLAGSVC_CORS_ORIGINS',
    meaning: 'origins whose pages may call the relay, or "*"; "http://localhost:*" allows all ports',
    shownDefault: 'none',
    fallback: [],
    read: listOf(readOrigin),
  } as Variable<readonly string[]>,
  logLevel: {
    name: 'FLAGSVC_LOG_LEVEL',
    meaning: 'fatal, error, warn, info, debug, trace or silent',
    shownDefault: 'info',
    fallback: 'info',
    read: readLogLevel,
  } as Variable<LogLevel>,
} as const;

type ValueOf<V> = V extends Variable<infer T> ? T : never;

/** The variables as read, before `keysFile` is. */
export type ReadVariables = {
  readonly [Field in keyof typeof VARIABLES]: ValueOf<(typeof VARIABLES)[Field]>;
};

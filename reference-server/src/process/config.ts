import { ROLES, type Role } from '../control-plane/access/roles.ts';
import { isAddressOrRange } from '../lib/address-ranges.ts';
import { type DeploymentMode, REGISTRATION_MODES, type RegistrationMode } from '../lib/deployment-modes.ts';
import { editDistance } from '../lib/edit-distance.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The server's configuration, read once from `FLAGSVC_*` ("Configuration variables"). */
export interface Config {
  /** `FLAGSVC_DEPLOYMENT_MODE`; default `oss`. */
  readonly deploymentMode: DeploymentMode;
  /**
   * `FLAGSVC_DATABASE_URL`: `sqlite:<path>`, `sqlite::memory:` or `postgres://user:password@host/database`; default
   * `sqlite:.data/flagsvc.db`.
   */
  readonly databaseUrl: string;
  /** `FLAGSVC_JWT_SECRET_KEY`, at least 32 characters; signs access tokens. */
  readonly jwtSecretKey: string;
  /** `FLAGSVC_API_SECRET_KEY`, at least 32 characters, different from the JWT one; hashes API keys and refresh tokens. */
  readonly apiSecretKey: string;
  /** `FLAGSVC_CORS_ORIGINS`, comma-separated origins or `*`; default none: no CORS headers. */
  readonly corsOrigins: readonly string[];
  /** `FLAGSVC_LOG_LEVEL`, case-insensitive; default `info`. */
  readonly logLevel: LogLevel;
  /** `FLAGSVC_HOST`; default 127.0.0.1. */
  readonly host: string;
  /** `FLAGSVC_PORT`, 0 to 65535; 0 takes any free port; default 8000. */
  readonly port: number;
  /** `FLAGSVC_TRUST_PROXY`: proxies whose `X-Forwarded-For` is trusted, as addresses and ranges; default none. */
  readonly trustProxy: readonly string[];
  /** `FLAGSVC_REGISTRATION`; default `open`. */
  readonly registration: RegistrationMode;
  /** `FLAGSVC_PASSWORD_BLOCKLIST`: `on` refuses common passwords; default `off`. */
  readonly passwordBlocklist: boolean;
  /** `FLAGSVC_DEFAULT_ROLE`: role of users who register after the first one; default `viewer`. */
  readonly defaultRole: Role;
  /** `FLAGSVC_DASHBOARD_URL`: base of the links in e-mails; default `http://localhost:3000`. */
  readonly dashboardUrl: string;
  /**
   * `FLAGSVC_OUTBOUND_ALLOW`: private addresses and ranges that webhooks may reach, and ports besides 443, such as
   * `10.0.0.0/8,8443`; default none.
   */
  readonly outboundAllow: { readonly ranges: readonly string[]; readonly ports: readonly number[] };
  /** `FLAGSVC_OUTBOUND_ALLOW_HTTP`: `true` allows webhooks over plain HTTP, for development; default `false`. */
  readonly outboundAllowHttp: boolean;
  /** `FLAGSVC_OUTBOUND_PROXY`: proxy for webhooks, such as `http://proxy:3128`; default null: none. */
  readonly outboundProxy: string | null;
  /** `FLAGSVC_KEY_RESERVATION_DAYS`: how long the key of a permanently deleted flag stays reserved; default 365. */
  readonly keyReservationDays: number;
  /** `FLAGSVC_METRICS_PORT`: port of `/metrics` for Prometheus, on the same host; default null: not served. */
  readonly metricsPort: number | null;
  /** `FLAGSVC_FAST_PATH`: `off` serves SDKs by the plain path, with the same answers; default `on`. */
  readonly fastPath: boolean;
  /** `FLAGSVC_STREAMS_PER_KEY`: maximum open streams of one API key; default 100. */
  readonly streamsPerKey: number;
  /** `FLAGSVC_STREAMS_PER_ENVIRONMENT`: maximum open streams of one environment in this process; default 2,000. */
  readonly streamsPerEnvironment: number;
}

/** One fault of the configuration, with its remedy. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** The configuration, or every fault in it. */
export type ConfigResult =
  | { readonly config: Config; readonly warnings: readonly ConfigFault[] }
  | { readonly faults: readonly ConfigFault[] };

/** Parses a value. Throws an error whose message completes "FLAGSVC_X …". */
type Read<T> = (text: string) => T;

const SECRET_LENGTH_MIN = 32;
/** A variable this close to a known name is a typing error rather than another program's variable. */
const TYPO_DISTANCE_MAX = 2;

/** Variables of the command line `flagsvc`: the server ignores them without a warning. */
const COMMAND_LINE_VARIABLES: ReadonlySet<string> = new Set(
  ['URL', 'TOKEN', 'API_KEY', 'PROJECT', 'ENVIRONMENT', 'CONFIG_DIR'].map((name) => `FLAGSVC_${name}`),
);

/**
 * Reads the configuration from a record such as `process.env`, without side effects. An empty variable counts as
 * absent. Reports all faults at once, each with its variable and its remedy.
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): ConfigResult {
  const faults: ConfigFault[] = [];
  const names = new Set<string>();

  const take = <T>(name: string, fallback: T | undefined, read: Read<T>): T => {
    const variable = `FLAGSVC_${name}`;
    names.add(variable);
    const text = env[variable]?.trim();
    try {
      if (text !== undefined && text !== '') return read(text);
      if (fallback !== undefined) return fallback;
      throw new Error(
        `is required: set it to at least ${SECRET_LENGTH_MIN} random characters (${SECRET_RECIPE}).`,
      );
    } catch (error) {
      faults.push({ variable, message: (error as Error).message });
      return fallback as T;
    }
  };

  const config: Config = {
    deploymentMode: take('DEPLOYMENT_MODE', 'oss', readMode),
    databaseUrl: take('DATABASE_URL', 'sqlite:.data/flagsvc.db', readDatabaseUrl),
    jwtSecretKey: take('JWT_SECRET_KEY', undefined, readSecret),
    apiSecretKey: take('API_SECRET_KEY', undefined, readSecret),
    corsOrigins: take('CORS_ORIGINS', [], listOf(readOrigin)),
    logLevel: take('LOG_LEVEL', 'info', readLogLevel),
    host: take('HOST', '127.0.0.1', readHost),
    port: take('PORT', 8000, readPort),
    trustProxy: take('TRUST_PROXY', [], listOf(readProxy)),
    registration: take('REGISTRATION', 'open', oneOf(REGISTRATION_MODES)),
    passwordBlocklist: take('PASSWORD_BLOCKLIST', false, readSwitch),
    defaultRole: take('DEFAULT_ROLE', 'viewer', oneOf(ROLES)),
    dashboardUrl: take('DASHBOARD_URL', 'http://localhost:3000', readUrl),
    outboundAllow: take('OUTBOUND_ALLOW', { ranges: [], ports: [] }, readAllowance),
    outboundAllowHttp: take(
      'OUTBOUND_ALLOW_HTTP',
      false,
      (text) => oneOf(['true', 'false'])(text) === 'true',
    ),
    outboundProxy: take<string | null>('OUTBOUND_PROXY', null, readOutboundProxy),
    keyReservationDays: take('KEY_RESERVATION_DAYS', 365, readCount),
    metricsPort: take<number | null>('METRICS_PORT', null, readPort),
    fastPath: take('FAST_PATH', true, readSwitch),
    streamsPerKey: take('STREAMS_PER_KEY', 100, readCount),
    streamsPerEnvironment: take('STREAMS_PER_ENVIRONMENT', 2_000, readCount),
  };
  if (config.jwtSecretKey !== undefined && config.jwtSecretKey === config.apiSecretKey) {
    faults.push({
      variable: 'FLAGSVC_API_SECRET_KEY',
      message: 'must differ from FLAGSVC_JWT_SECRET_KEY, so that a leak of one does not reveal the other.',
    });
  }
  if (config.metricsPort === config.port && config.port > 0) {
    faults.push({
      variable: 'FLAGSVC_METRICS_PORT',
      message: `is ${config.port}, the same as FLAGSVC_PORT; use another port, which only Prometheus needs to reach.`,
    });
  }
  const warnings = findUnknownVariables(env, [...names], faults);
  return faults.length > 0 ? { faults } : { config, warnings };
}

const SECRET_RECIPE = 'such as the output of "openssl rand -base64 48"';

const readSecret: Read<string> = (text) => {
  if (text.length >= SECRET_LENGTH_MIN) return text;
  throw new Error(
    `has ${text.length} characters; it needs at least ${SECRET_LENGTH_MIN} random ones (${SECRET_RECIPE}).`,
  );
};

const readMode: Read<DeploymentMode> = (text) => {
  const mode = text.toLowerCase();
  if (mode === 'oss') return mode;
  const isKnown = mode === 'saas' || mode === 'enterprise';
  const why = isKnown ? 'which this version does not offer yet' : 'which is not a deployment mode';
  throw new Error(`is "${text}", ${why}; set it to "oss" or leave it out.`);
};

const readDatabaseUrl: Read<string> = (text) => {
  const remedy =
    'use "sqlite:<path>", such as "sqlite:.data/flagsvc.db", or "postgres://user:password@host/database".';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw new Error(`names no database system; ${remedy}`);
  if (scheme === 'postgres' || scheme === 'postgresql') return readPostgresUrl(text);
  // The text may contain a password, so the message repeats only the scheme.
  if (scheme !== 'sqlite') throw new Error(`names "${scheme}", which is not supported; ${remedy}`);
  const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//')) throw new Error(`names no file; ${remedy}`);
  return `sqlite:${path}`;
};

const readPostgresUrl: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A Unix socket is given as the parameter `host`.
  const hasHost = url !== undefined && (url.hostname !== '' || url.searchParams.has('host'));
  if (hasHost && /^\/[^/]+$/.test(url.pathname) && isDecodable(url.href)) return url.href;
  throw new Error(
    'is not the address of a database; write "postgres://user:password@host:5432/database", and percent-encode special ' +
      'characters, such as %40 for an @ in the password.',
  );
};

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '';
  } catch {
    return false;
  }
}

const readOrigin: Read<string> = (text) => {
  if (text === '*') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new Error(
    `contains "${text}", which is not an origin; write "https://app.example.com", or "*" for all.`,
  );
};

const readUrl: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') {
    return url.href.replace(/\/$/, '');
  }
  throw new Error(`is "${text}", which is not an address; write "https://flags.example.com".`);
};

const readHost: Read<string> = (text) => {
  if (/^[\w.:%-]+$/.test(text)) return text;
  throw new Error('is not an address or a host name; use "127.0.0.1", or "0.0.0.0" for all interfaces.');
};

const readPort: Read<number> = (text) => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error(`is "${text}", which is not a port; use a number from 1 to 65535, or 0 for any free port.`);
};

const readCount: Read<number> = (text) => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error(`is "${text}"; use a whole number from 1 to 999999.`);
};

const readAllowance: Read<Config['outboundAllow']> = (text) => {
  const parts = listOf(String)(text);
  const ports = parts.filter((part) => /^\d{1,5}$/.test(part)).map(Number);
  const ranges = parts.filter((part) => !/^\d{1,5}$/.test(part));
  const invalid = ranges.find((part) => !isAddressOrRange(part));
  if (invalid === undefined && ports.every((port) => port > 0 && port <= 65_535)) return { ranges, ports };
  throw new Error(
    `contains "${invalid ?? ports.find((port) => port === 0 || port > 65_535)}"; list addresses, ranges and ports, such as "10.0.0.0/8,8443".`,
  );
};

const readOutboundProxy: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // A path or a query would have no effect; a bare % cannot be decoded.
  const isBare = url?.pathname === '/' && url.search === '' && url.hash === '';
  if (isBare && url.protocol === 'http:' && !/%(?![\da-f]{2})/i.test(url.href)) return url.href;
  // The text may contain a password, so the message does not repeat it.
  throw new Error(
    'is not the address of a proxy; write "http://proxy.example.com:3128", or "http://user:password@…".',
  );
};

const readProxy: Read<string> = (text) => {
  if (isAddressOrRange(text)) return text;
  // In other servers, this setting is a number of hops.
  if (/^\d+$/.test(text)) {
    throw new Error(
      `contains "${text}", a number; name the address or range of your proxy instead, such as "10.0.0.0/8".`,
    );
  }
  throw new Error(
    `contains "${text}"; list the addresses or ranges of your proxies, such as "10.0.0.0/8". ` +
      'Trusting every proxy would let clients choose the address that rate limits count.',
  );
};

function listOf<T>(read: Read<T>): Read<T[]> {
  return (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(read);
}

function oneOf<const T extends string>(allowed: readonly T[]): Read<T> {
  return (text) => {
    const found = allowed.find((value) => value === text.toLowerCase());
    if (found !== undefined) return found;
    throw new Error(`is "${text}"; use one of ${allowed.join(', ')}.`);
  };
}

const readOnOff = oneOf(['on', 'off']);

function readSwitch(text: string): boolean {
  return readOnOff(text) === 'on';
}

/** Parses a log level. Also accepts `WARNING` and `CRITICAL`, names that other systems use. */
function readLogLevel(text: string): LogLevel {
  const others: Readonly<Record<string, string>> = { warning: 'warn', critical: 'fatal' };
  const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
  return oneOf(levels)(others[text.toLowerCase()] ?? text);
}

/** Finds unknown `FLAGSVC_*` variables. Variables close to a known name are faults; all others are warnings. */
function findUnknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  faults: ConfigFault[],
): ConfigFault[] {
  const warnings: ConfigFault[] = [];
  for (const variable of Object.keys(env)) {
    if (!variable.toUpperCase().startsWith('FLAGSVC_') || names.includes(variable)) continue;
    if (COMMAND_LINE_VARIABLES.has(variable)) continue;
    const [nearest, steps] = names
      .map((name) => [name, editDistance(variable.toUpperCase(), name)] as const)
      .reduce((best, next) => (next[1] < best[1] ? next : best));
    if (steps <= TYPO_DISTANCE_MAX)
      faults.push({ variable, message: `is not known; did you mean ${nearest}?` });
    else
      warnings.push({ variable, message: `is not known and has no effect; the nearest name is ${nearest}.` });
  }
  return warnings;
}

import { ROLES, type Role } from '../control-plane/access/roles.ts';
import { parseRateLimits, type RateLimits } from '../http/rate-limits.ts';
import { REGISTRATION_MODES } from '../lib/deployment-modes.ts';
import { KEY_STORAGES, type KeyStorage } from '../lib/key-storages.ts';
import { type MailAddress, parseMailFrom, parseSmtpUrl, type SmtpServer } from '../outbound/smtp-url.ts';
import {
  type LogLevel,
  listOf,
  type OutboundAllowance,
  oneOf,
  readAllowance,
  readCount,
  readDashboardUrl,
  readDatabaseUrl,
  readHost,
  readLogLevel,
  readMode,
  readOrigin,
  readOutboundProxy,
  readPort,
  readPortOrOff,
  readProxy,
  readRedisUrl,
  readSecret,
  readSwitch,
  SECRET_LENGTH_MIN,
  SECRET_RECIPE,
} from './config-values.ts';
import type { Variable } from './read-variables.ts';

const SECRET_REMEDY = `set it to at least ${SECRET_LENGTH_MIN} random characters (${SECRET_RECIPE}).`;

/** Every variable of the server, by its field in `Config`. `--help` prints them in this order. */
export const VARIABLES = {
  jwtSecretKey: {
    name: 'FLAGSVC_JWT_SECRET_KEY',
    meaning: 'signs access tokens; at least 32 characters',
    shownDefault: 'required',
    fallback: undefined,
    remedy: SECRET_REMEDY,
    read: readSecret,
  } as Variable<string>,
  apiSecretKey: {
    name: 'FLAGSVC_API_SECRET_KEY',
    meaning:
      'the key for hashing SDK keys and tokens and for sealing stored secrets; at least 32 characters, different from the other secret',
    shownDefault: 'required',
    fallback: undefined,
    remedy: SECRET_REMEDY,
    read: readSecret,
  } as Variable<string>,
  databaseUrl: {
    name: 'FLAGSVC_DATABASE_URL',
    meaning: '"sqlite:<path>", "sqlite::memory:" or "postgres://user:password@host:5432/database"',
    shownDefault: 'sqlite:.data/flagsvc.db',
    fallback: 'sqlite:.data/flagsvc.db',
    read: readDatabaseUrl,
  } as Variable<string>,
  eventsUrl: {
    name: 'FLAGSVC_EVENTS_URL',
    meaning:
      'where the events of SDKs are stored, as in FLAGSVC_DATABASE_URL; without it, in a file beside an SQLite database, such as "sqlite:.data/flagsvc.events.db", or in the same database on PostgreSQL',
    shownDefault: 'none',
    fallback: null,
    read: readDatabaseUrl,
  } as Variable<string | null>,
  eventKeys: {
    name: 'FLAGSVC_EVENT_KEYS',
    meaning:
      'how the keys of users and units are stored in exposures and track events: "hashed" by a secret of the environment, or "plain"',
    shownDefault: 'hashed',
    fallback: 'hashed',
    read: oneOf(KEY_STORAGES),
  } as Variable<KeyStorage>,
  host: {
    name: 'FLAGSVC_HOST',
    meaning: 'address to listen on; "0.0.0.0" for all interfaces',
    shownDefault: '127.0.0.1',
    fallback: '127.0.0.1',
    read: readHost,
  } as Variable<string>,
  port: {
    name: 'FLAGSVC_PORT',
    meaning: 'port to listen on; 0 for any free port',
    shownDefault: '8000',
    fallback: 8000,
    read: readPort,
  } as Variable<number>,
  deploymentMode: {
    name: 'FLAGSVC_DEPLOYMENT_MODE',
    meaning: 'only "oss" so far',
    shownDefault: 'oss',
    fallback: 'oss',
    read: readMode,
  } as Variable<ReturnType<typeof readMode>>,
  registration: {
    name: 'FLAGSVC_REGISTRATION',
    meaning:
      'who can register: "open" (anybody), "invite" (by invitation), "closed" (nobody new); the first user always can',
    shownDefault: 'open',
    fallback: 'open',
    read: oneOf(REGISTRATION_MODES),
  } as Variable<(typeof REGISTRATION_MODES)[number]>,
  defaultRole: {
    name: 'FLAGSVC_DEFAULT_ROLE',
    meaning: 'role of users who register after the first',
    shownDefault: 'viewer',
    fallback: 'viewer',
    read: oneOf(ROLES),
  } as Variable<Role>,
  passwordBlocklist: {
    name: 'FLAGSVC_PASSWORD_BLOCKLIST',
    meaning: '"on" refuses common passwords, sequences and the user\'s own name',
    shownDefault: 'off',
    fallback: false,
    read: readSwitch,
  } as Variable<boolean>,
  corsOrigins: {
    name: 'FLAGSVC_CORS_ORIGINS',
    meaning:
      'origins of pages that may call the server, comma-separated, or "*"; "http://localhost:*" allows all ports',
    shownDefault: 'none',
    fallback: [],
    read: listOf(readOrigin),
  } as Variable<readonly string[]>,
  trustProxy: {
    name: 'FLAGSVC_TRUST_PROXY',
    meaning: 'addresses and ranges of proxies whose X-Forwarded-For is trusted, comma-separated',
    shownDefault: 'none',
    fallback: [],
    read: listOf(readProxy),
  } as Variable<readonly string[]>,
  logLevel: {
    name: 'FLAGSVC_LOG_LEVEL',
    meaning: '"fatal", "error", "warn", "info", "debug", "trace" or "silent"',
    shownDefault: 'info',
    fallback: 'info',
    read: readLogLevel,
  } as Variable<LogLevel>,
  metricsPort: {
    name: 'FLAGSVC_METRICS_PORT',
    meaning: 'port of /metrics for Prometheus, on the same host',
    shownDefault: 'none',
    fallback: null,
    read: readPort,
  } as Variable<number | null>,
  dashboardUrl: {
    name: 'FLAGSVC_DASHBOARD_URL',
    meaning:
      'the only address at which browsers open the dashboard, and base of the links in emails; without it, http://localhost with the port of the dashboard',
    shownDefault: 'none',
    fallback: null,
    read: readDashboardUrl,
  } as Variable<string | null>,
  dashboardPort: {
    name: 'FLAGSVC_DASHBOARD_PORT',
    meaning: 'port of the dashboard; "off" serves none',
    shownDefault: '3000',
    fallback: 3000,
    read: readPortOrOff,
  } as Variable<number | null>,
  dashboardHost: {
    name: 'FLAGSVC_DASHBOARD_HOST',
    meaning: 'address where the dashboard listens; without it, that of FLAGSVC_HOST',
    shownDefault: 'none',
    fallback: null,
    read: readHost,
  } as Variable<string | null>,
  smtpServer: {
    name: 'FLAGSVC_SMTP_URL',
    meaning:
      'mail server: "smtp://user:password@host:587" (STARTTLS is required, except on this machine; "?starttls=optional" permits unencrypted email) or "smtps://user:password@host:465"; without it, no email is sent',
    shownDefault: 'none',
    fallback: null,
    read: parseSmtpUrl,
  } as Variable<SmtpServer | null>,
  mailFrom: {
    name: 'FLAGSVC_MAIL_FROM',
    meaning:
      'sender of all emails: "flags@example.com" or "Flags <flags@example.com>"; required with FLAGSVC_SMTP_URL',
    shownDefault: 'none',
    fallback: null,
    read: parseMailFrom,
  } as Variable<MailAddress | null>,
  outboundAllow: {
    name: 'FLAGSVC_OUTBOUND_ALLOW',
    meaning: 'private ranges, and ports other than 443, that webhooks may reach, such as "10.0.0.0/8,8443"',
    shownDefault: 'none',
    fallback: { ranges: [], ports: [] },
    read: readAllowance,
  } as Variable<OutboundAllowance>,
  outboundAllowHttp: {
    name: 'FLAGSVC_OUTBOUND_ALLOW_HTTP',
    meaning: '"true" allows webhooks over plain HTTP, for development',
    shownDefault: 'false',
    fallback: false,
    read: (text) => oneOf(['true', 'false'])(text) === 'true',
  } as Variable<boolean>,
  outboundProxy: {
    name: 'FLAGSVC_OUTBOUND_PROXY',
    meaning: 'proxy for webhooks, such as "http://user:password@proxy:3128"',
    shownDefault: 'none',
    fallback: null,
    read: readOutboundProxy,
  } as Variable<string | null>,
  keyReservationDays: {
    name: 'FLAGSVC_KEY_RESERVATION_DAYS',
    meaning: 'how long the key of a permanently deleted flag stays reserved',
    shownDefault: '365',
    fallback: 365,
    read: readCount,
  } as Variable<number>,
  fastPath: {
    name: 'FLAGSVC_FAST_PATH',
    meaning:
      '"off" serves SDKs by the plain path, which gives the same answers but takes more processor time; use it to check whether the fast path causes a fault',
    shownDefault: 'on',
    fallback: true,
    read: readSwitch,
  } as Variable<boolean>,
  streamsPerKey: {
    name: 'FLAGSVC_STREAMS_PER_KEY',
    meaning: 'maximum number of open streams per process for each API key',
    shownDefault: '100',
    fallback: 100,
    read: readCount,
  } as Variable<number>,
  streamsPerEnvironment: {
    name: 'FLAGSVC_STREAMS_PER_ENVIRONMENT',
    meaning: 'maximum number of open streams per process for each environment',
    shownDefault: '2000',
    fallback: 2_000,
    read: readCount,
  } as Variable<number>,
  rateLimits: {
    name: 'FLAGSVC_RATE_LIMITS',
    meaning:
      'rate limits that replace the defaults, in requests per minute, such as "ruleset=1000,events=5000"; the names are auth, management, evaluation, ruleset, events, stream, credentials, bulk and preview',
    shownDefault: 'none',
    fallback: {},
    read: parseRateLimits,
  } as Variable<Partial<RateLimits>>,
  redisUrl: {
    name: 'FLAGSVC_REDIS_URL',
    meaning:
      'Redis or Valkey that several nodes share, such as "redis://user:password@host:6379/0" or "rediss://…" for TLS; it counts rate limits and announces changes',
    shownDefault: 'none',
    fallback: null,
    read: readRedisUrl,
  } as Variable<string | null>,
} as const;

type ValueOf<V> = V extends Variable<infer T> ? T : never;

/** What the variables say. */
export type ReadConfig = { readonly [Field in keyof typeof VARIABLES]: ValueOf<(typeof VARIABLES)[Field]> };

/** The server's configuration, read once from `FLAGSVC_*` ("Configuration variables"). `VARIABLES` explains each field. */
export interface Config extends Omit<ReadConfig, 'dashboardUrl' | 'dashboardHost' | 'eventsUrl'> {
  readonly eventsUrl: string;
  readonly dashboardUrl: string;
  readonly dashboardHost: string;
}

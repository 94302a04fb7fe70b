import { expect, test } from 'vitest';
import { parseConfig } from './config.ts';

const SECRETS = {
  FLAGSVC_JWT_SECRET_KEY: 'j'.repeat(32),
  FLAGSVC_API_SECRET_KEY: 'a'.repeat(32),
};

function faultsOf(env: Record<string, string>): Record<string, string> {
  const result = parseConfig(env);
  return 'faults' in result
    ? Object.fromEntries(result.faults.map((fault) => [fault.variable, fault.message]))
    : {};
}

test('requires only the two secrets', () => {
  expect(parseConfig({ ...SECRETS, PATH: '/bin' })).toEqual({
    config: {
      deploymentMode: 'oss',
      databaseUrl: 'sqlite:.data/flagsvc.db',
      eventsUrl: 'sqlite:.data/flagsvc.events.db',
      eventKeys: 'hashed',
      jwtSecretKey: 'j'.repeat(32),
      apiSecretKey: 'a'.repeat(32),
      corsOrigins: [],
      logLevel: 'info',
      host: '127.0.0.1',
      port: 8000,
      trustProxy: [],
      registration: 'open',
      passwordBlocklist: false,
      defaultRole: 'viewer',
      dashboardUrl: 'http://localhost:3000',
      dashboardPort: 3000,
      dashboardHost: '127.0.0.1',
      smtpServer: null,
      mailFrom: null,
      outboundAllow: { ranges: [], ports: [] },
      outboundAllowHttp: false,
      outboundProxy: null,
      keyReservationDays: 365,
      metricsPort: null,
      fastPath: true,
      streamsPerKey: 100,
      streamsPerEnvironment: 2_000,
      rateLimits: {},
      redisUrl: null,
    },
    warnings: [],
  });
});

test.each([
  ['WARNING', 'warn'],
  ['Critical', 'fatal'],
  ['Debug', 'debug'],
])('reads the log level %s as %s', (text, logLevel) => {
  expect(parseConfig({ ...SECRETS, FLAGSVC_LOG_LEVEL: text })).toMatchObject({ config: { logLevel } });
});

test('derives the address of the dashboard from its port', () => {
  const read = (env: Record<string, string>) => parseConfig({ ...SECRETS, ...env });
  expect(read({ FLAGSVC_DASHBOARD_PORT: '3100', FLAGSVC_HOST: '0.0.0.0' })).toMatchObject({
    config: { dashboardPort: 3100, dashboardUrl: 'http://localhost:3100', dashboardHost: '0.0.0.0' },
  });
  expect(read({ FLAGSVC_DASHBOARD_PORT: 'Off' })).toMatchObject({
    config: { dashboardPort: null, dashboardUrl: 'http://localhost:3000' },
  });
  expect(
    read({ FLAGSVC_DASHBOARD_URL: 'https://flags.example.com/', FLAGSVC_DASHBOARD_HOST: '::1' }),
  ).toMatchObject({
    config: { dashboardPort: 3000, dashboardUrl: 'https://flags.example.com', dashboardHost: '::1' },
  });
  expect(faultsOf({ ...SECRETS, FLAGSVC_PORT: '3000' })).toEqual({
    FLAGSVC_DASHBOARD_PORT:
      'is 3000, the same as FLAGSVC_PORT; use another port, or "off" to serve no dashboard.',
  });
  expect(faultsOf({ ...SECRETS, FLAGSVC_DASHBOARD_PORT: 'none' })).toEqual({
    FLAGSVC_DASHBOARD_PORT: expect.stringContaining('or "off"'),
  });
});

test('reads every variable', () => {
  const result = parseConfig({
    ...SECRETS,
    FLAGSVC_DEPLOYMENT_MODE: 'OSS',
    FLAGSVC_DATABASE_URL: 'sqlite::memory:',
    FLAGSVC_CORS_ORIGINS: 'https://a.example, http://localhost:3000/ ,',
    FLAGSVC_LOG_LEVEL: 'WARN',
    FLAGSVC_HOST: '0.0.0.0',
    FLAGSVC_PORT: '0',
    FLAGSVC_TRUST_PROXY: '10.0.0.0/8,::1',
    FLAGSVC_REGISTRATION: 'closed',
    FLAGSVC_PASSWORD_BLOCKLIST: 'ON',
    FLAGSVC_DEFAULT_ROLE: 'editor',
    FLAGSVC_FAST_PATH: 'off',
  });
  expect(result).toMatchObject({
    config: {
      databaseUrl: 'sqlite::memory:',
      corsOrigins: ['https://a.example', 'http://localhost:3000'],
      logLevel: 'warn',
      host: '0.0.0.0',
      port: 0,
      trustProxy: ['10.0.0.0/8', '::1'],
      registration: 'closed',
      passwordBlocklist: true,
      defaultRole: 'editor',
      fastPath: false,
    },
  });
});

test('lists all faults at once, each with its variable', () => {
  const faults = faultsOf({
    FLAGSVC_JWT_SECRET_KEY: 'short',
    FLAGSVC_DATABASE_URL: 'mysql://user:hunter2@db/flags',
    FLAGSVC_DEPLOYMENT_MODE: 'enterprise',
    FLAGSVC_PORT: '80000',
    FLAGSVC_LOG_LEVEL: 'loud',
    FLAGSVC_CORS_ORIGINS: 'https://a.example/path',
    FLAGSVC_TRUST_PROXY: 'true',
    FLAGSVC_HOST: 'a b',
    FLAGSVC_REGISTRATION: 'yes',
    FLAGSVC_DEFAULT_ROLE: 'owner',
  });
  expect(Object.keys(faults)).toHaveLength(11);
  expect(faults).toMatchObject({
    FLAGSVC_JWT_SECRET_KEY: expect.stringContaining('has 5 characters'),
    FLAGSVC_API_SECRET_KEY: expect.stringContaining('is required'),
    FLAGSVC_DATABASE_URL: expect.stringContaining('"mysql"'),
  });
  expect(JSON.stringify(faults)).not.toContain('hunter2');
});

test('refuses the same text for both secrets', () => {
  expect(
    faultsOf({ FLAGSVC_JWT_SECRET_KEY: 'x'.repeat(40), FLAGSVC_API_SECRET_KEY: 'x'.repeat(40) }),
  ).toEqual({
    FLAGSVC_API_SECRET_KEY: expect.stringContaining('must differ'),
  });
});

test('counts an empty variable as absent', () => {
  expect(faultsOf({ ...SECRETS, FLAGSVC_PORT: '', FLAGSVC_LOG_LEVEL: ' ' })).toEqual({});
});

test('suggests the known variable that a misspelled variable resembles', () => {
  expect(faultsOf({ ...SECRETS, FLAGSVC_CORS_ORIGIN: '*', flagsvc_port: '1' })).toEqual({
    FLAGSVC_CORS_ORIGIN: 'is not known; did you mean FLAGSVC_CORS_ORIGINS?',
    flagsvc_port: 'is not known; did you mean FLAGSVC_PORT?',
  });
});

test('only warns about unknown variables that resemble no known one', () => {
  const result = parseConfig({ ...SECRETS, FLAGSVC_DASHBOARD_THEME: 'dark' });
  expect(result).toMatchObject({ warnings: [{ variable: 'FLAGSVC_DASHBOARD_THEME' }] });
});

const NO_FILES = ['sqlite:', 'sqlite://', 'sqlite:/', 'sqlite:.', 'sqlite:..', 'sqlite://rel.db', 'flags.db'];
test.each([...NO_FILES, 'sqlite:~/flags.db', 'sqlite:flags.db?mode=ro'])('refuses the database %s', (url) => {
  expect(faultsOf({ ...SECRETS, FLAGSVC_DATABASE_URL: url })).toHaveProperty('FLAGSVC_DATABASE_URL');
});

test.each([
  'postgres://',
  'postgres://user:hunter2@db',
  'postgres://user:hunter2@db/',
  'postgres://user:hunter2@db/a/b',
  'postgresql://user:hun%ter2@db/flags',
  'postgres:flags',
])('refuses the database %s without repeating its password', (url) => {
  const faults = faultsOf({ ...SECRETS, FLAGSVC_DATABASE_URL: url });
  expect(faults).toEqual({ FLAGSVC_DATABASE_URL: expect.stringContaining('"postgres://') });
  expect(JSON.stringify(faults)).not.toMatch(/hunter2|hun%/);
});

test.each(['postgres://db/flags', 'postgresql://user:p%40ss@[::1]:5432/flags?sslmode=require'])(
  'accepts the database %s',
  (url) => {
    expect(parseConfig({ ...SECRETS, FLAGSVC_DATABASE_URL: url })).toMatchObject({
      config: { databaseUrl: url },
    });
  },
);

test.each([
  ['sqlite:/var/flags.db', 'sqlite:/var/flags.events.db'],
  ['sqlite:flags.sqlite3', 'sqlite:flags.events.db'],
  ['sqlite:flags', 'sqlite:flags.events.db'],
  ['sqlite::memory:', 'sqlite::memory:'],
  ['postgres://db/flags', 'postgres://db/flags'],
])('keeps the events of %s in %s by default', (databaseUrl, eventsUrl) => {
  expect(parseConfig({ ...SECRETS, FLAGSVC_DATABASE_URL: databaseUrl })).toMatchObject({
    config: { databaseUrl, eventsUrl },
  });
});

test('accepts another place for events, but not one that cannot work', () => {
  const eventsUrl = 'postgres://db/events';
  expect(parseConfig({ ...SECRETS, FLAGSVC_EVENTS_URL: eventsUrl })).toMatchObject({ config: { eventsUrl } });
  const place = 'sqlite:/var/flags.db';
  expect(faultsOf({ ...SECRETS, FLAGSVC_DATABASE_URL: place, FLAGSVC_EVENTS_URL: place })).toEqual({
    FLAGSVC_EVENTS_URL: 'is the same as FLAGSVC_DATABASE_URL; name another file, or leave it empty.',
  });
  expect(
    faultsOf({ ...SECRETS, FLAGSVC_DATABASE_URL: 'postgres://db/flags', FLAGSVC_EVENTS_URL: place }),
  ).toEqual({
    FLAGSVC_EVENTS_URL:
      'names an SQLite file, but nodes on PostgreSQL share their events; name a PostgreSQL database, or leave it empty.',
  });
});

test('accepts absolute paths in both spellings', () => {
  for (const url of ['sqlite:/var/flags.db', 'sqlite:///var/flags.db']) {
    expect(parseConfig({ ...SECRETS, FLAGSVC_DATABASE_URL: url })).toMatchObject({
      config: { databaseUrl: 'sqlite:/var/flags.db' },
    });
  }
});

test('reads the settings of outbound requests, metrics and streams', () => {
  const result = parseConfig({
    ...SECRETS,
    FLAGSVC_OUTBOUND_ALLOW: '10.0.0.0/8, ::1,8443',
    FLAGSVC_OUTBOUND_ALLOW_HTTP: 'TRUE',
    FLAGSVC_OUTBOUND_PROXY: 'http://me:pw@proxy.internal:3128',
    FLAGSVC_METRICS_PORT: '9464',
    FLAGSVC_STREAMS_PER_KEY: '5',
    FLAGSVC_STREAMS_PER_ENVIRONMENT: '5000',
    FLAGSVC_RATE_LIMITS: 'ruleset=1000, events=5000',
    FLAGSVC_REDIS_URL: 'rediss://me:p%40w@redis.internal:6380/2',
  });
  expect(result).toMatchObject({
    config: {
      outboundAllow: { ranges: ['10.0.0.0/8', '::1'], ports: [8443] },
      outboundAllowHttp: true,
      outboundProxy: 'http://me:pw@proxy.internal:3128/',
      metricsPort: 9464,
      streamsPerKey: 5,
      streamsPerEnvironment: 5_000,
      rateLimits: { ruleset: 1_000, events: 5_000 },
      redisUrl: 'rediss://me:p%40w@redis.internal:6380/2',
    },
  });
});

test.each([
  ['FLAGSVC_OUTBOUND_ALLOW', 'localhost'],
  ['FLAGSVC_OUTBOUND_ALLOW', '10.0.0.0/99'],
  ['FLAGSVC_OUTBOUND_ALLOW', '70000'],
  ['FLAGSVC_OUTBOUND_ALLOW', '10.1'],
  ['FLAGSVC_OUTBOUND_ALLOW', '0x7f000001'],
  ['FLAGSVC_OUTBOUND_ALLOW', '10/8'],
  ['FLAGSVC_TRUST_PROXY', '10.1'],
  ['FLAGSVC_OUTBOUND_ALLOW_HTTP', 'yes'],
  ['FLAGSVC_OUTBOUND_PROXY', 'proxy.internal:3128'],
  ['FLAGSVC_OUTBOUND_PROXY', 'https://proxy.internal'],
  ['FLAGSVC_OUTBOUND_PROXY', 'http://me:100%@proxy.internal'],
  ['FLAGSVC_OUTBOUND_PROXY', 'http://proxy.internal/path'],
  ['FLAGSVC_METRICS_PORT', 'on'],
  ['FLAGSVC_STREAMS_PER_KEY', '0'],
  ['FLAGSVC_STREAMS_PER_ENVIRONMENT', '-1'],
  ['FLAGSVC_RATE_LIMITS', 'ruleset=0'],
  ['FLAGSVC_REDIS_URL', 'localhost:6379'],
  ['FLAGSVC_REDIS_URL', 'http://localhost:6379'],
  ['FLAGSVC_REDIS_URL', 'redis:///0'],
  ['FLAGSVC_REDIS_URL', 'redis://localhost/users'],
  ['FLAGSVC_CORS_ORIGINS', 'https://*.example.com'],
  ['FLAGSVC_DASHBOARD_URL', 'https://example.com/flags'],
  ['FLAGSVC_DASHBOARD_URL', 'https://me:hunter2@flags.example.com'],
  ['FLAGSVC_HOST', '0.0.0.0:8000'],
  ['FLAGSVC_HOST', '[::1]'],
])('refuses %s=%s', (variable, value) => {
  expect(parseConfig({ ...SECRETS, [variable]: value })).toMatchObject({ faults: [{ variable }] });
});

test('reports a variable with a fault of its own once', () => {
  const faults = faultsOf({ ...SECRETS, FLAGSVC_SMTP_URL: 'smtp://localhost', FLAGSVC_MAIL_FROM: 'Flags' });
  expect(faults).toEqual({ FLAGSVC_MAIL_FROM: expect.stringContaining('is "Flags"') });
});

test('refuses the same port for both servers, except 0', () => {
  expect(faultsOf({ FLAGSVC_PORT: '9464', FLAGSVC_METRICS_PORT: '9464' })).toMatchObject({
    FLAGSVC_METRICS_PORT: expect.stringMatching(/^is 9464, the same as FLAGSVC_PORT; use another port/),
  });
  expect(faultsOf({ ...SECRETS, FLAGSVC_PORT: '0', FLAGSVC_METRICS_PORT: '0' })).toEqual({});
});

test('refuses a number of hops as the address of a proxy', () => {
  expect(faultsOf({ FLAGSVC_TRUST_PROXY: '1' })).toMatchObject({
    FLAGSVC_TRUST_PROXY: expect.stringMatching(
      /^contains "1", a number; name the address or range of your proxy/,
    ),
  });
});

test('does not repeat the password of a proxy', () => {
  const faults = JSON.stringify(faultsOf({ FLAGSVC_OUTBOUND_PROXY: 'socks5://me:hunter2@proxy' }));
  expect(faults).toContain('not the address of a proxy');
  expect(faults).not.toContain('hunter2');
});

test.each([
  ['saas', /^is "saas", which this version does not offer yet; set it to "oss"/],
  ['foo', /^is "foo", which is not a deployment mode; set it to "oss" or leave it out\.$/],
])('refuses the deployment mode %s, and names the available one', (mode, message) => {
  expect(faultsOf({ FLAGSVC_DEPLOYMENT_MODE: mode })).toMatchObject({
    FLAGSVC_DEPLOYMENT_MODE: expect.stringMatching(message),
  });
});

test.each([
  [
    { FLAGSVC_SMTP_URL: 'smtps://mail.example.com' },
    'FLAGSVC_MAIL_FROM',
    'is required with FLAGSVC_SMTP_URL',
  ],
  [
    { FLAGSVC_SMTP_URL: 'smtp://me:hunter2@mail.example.com/in', FLAGSVC_MAIL_FROM: 'a@b.example' },
    'FLAGSVC_SMTP_URL',
    'has a path',
  ],
  [{ FLAGSVC_MAIL_FROM: 'nobody' }, 'FLAGSVC_MAIL_FROM', 'write "flags@example.com"'],
])('refuses the mail settings %j', (env, variable, message) => {
  const faults = faultsOf({ ...SECRETS, ...env });
  expect(faults).toEqual({ [variable]: expect.stringContaining(message) });
  expect(JSON.stringify(faults)).not.toContain('hunter2');
});

test('warns when links in emails lead to this machine, and when the sender has no effect', () => {
  const FLAGSVC_SMTP_URL = 'smtp://localhost:25';
  const FLAGSVC_MAIL_FROM = 'Flags <flags@example.com>';
  const warningsOf = (env: Record<string, string>) => parseConfig({ ...SECRETS, ...env });
  expect(warningsOf({ FLAGSVC_SMTP_URL, FLAGSVC_MAIL_FROM })).toMatchObject({
    warnings: [{ variable: 'FLAGSVC_DASHBOARD_URL' }],
  });
  expect(warningsOf({ FLAGSVC_MAIL_FROM })).toMatchObject({ warnings: [{ variable: 'FLAGSVC_MAIL_FROM' }] });
  const FLAGSVC_DASHBOARD_URL = 'https://flags.example.com';
  expect(warningsOf({ FLAGSVC_SMTP_URL, FLAGSVC_MAIL_FROM, FLAGSVC_DASHBOARD_URL })).toMatchObject({
    warnings: [],
    config: { mailFrom: { name: 'Flags', address: 'flags@example.com' } },
  });
});

import { isPostgresUrl } from '../storage/database-url.ts';
import { defaultEventsUrl } from '../storage/events/events-url.ts';
import { type Config, type ReadConfig, VARIABLES } from './config-variables.ts';
import {
  type ConfigFault,
  type Env,
  findUnknownVariables,
  readVariables,
  type Variable,
} from './read-variables.ts';

/** The configuration, or every fault in it. */
export type ConfigResult =
  | { readonly config: Config; readonly warnings: readonly ConfigFault[] }
  | { readonly faults: readonly ConfigFault[] };

/** Variables of the command line `flagsvc`: the server ignores them without a warning. */
const COMMAND_LINE_VARIABLES: ReadonlySet<string> = new Set(
  ['URL', 'TOKEN', 'API_KEY', 'PROJECT', 'ENVIRONMENT', 'CONFIG_DIR'].map((name) => `FLAGSVC_${name}`),
);

/**
 * Reads the configuration from a record such as `process.env`, without side effects. An empty variable counts as
 * absent. Reports all faults at once, each with its variable and its remedy.
 */
export function parseConfig(env: Env): ConfigResult {
  const faults: ConfigFault[] = [];
  const variables: Readonly<Record<string, Variable<unknown>>> = VARIABLES;
  const read = readVariables(variables, env, faults) as unknown as ReadConfig;
  const config = withDerivedDefaults(read);
  const named = new Set(faults.map(({ variable }) => variable));
  faults.push(...findContradictions(config).filter(({ variable }) => !named.has(variable)));
  const names = Object.values(VARIABLES).map(({ name }) => name);
  const warnings = findUnknownVariables(env, { names, ignored: COMMAND_LINE_VARIABLES }, faults);
  return faults.length > 0 ? { faults } : { config, warnings: [...findDoubts(read), ...warnings] };
}

/** Fills in the defaults that depend on other variables. */
function withDerivedDefaults(config: ReadConfig): Config {
  const { host, dashboardPort, dashboardHost, dashboardUrl } = config;
  return {
    ...config,
    eventsUrl: config.eventsUrl ?? defaultEventsUrl(config.databaseUrl ?? ''),
    dashboardHost: dashboardHost ?? host,
    dashboardUrl: dashboardUrl ?? `http://localhost:${dashboardPort || 3000}`,
  };
}

/** Faults that only several variables together have. A variable with a fault of its own may be undefined here. */
function findContradictions(config: Partial<Config>): ConfigFault[] {
  const faults: ConfigFault[] = [];
  if (config.jwtSecretKey !== undefined && config.jwtSecretKey === config.apiSecretKey) {
    faults.push({
      variable: 'FLAGSVC_API_SECRET_KEY',
      message: 'must differ from FLAGSVC_JWT_SECRET_KEY, so that a leak of one does not reveal the other.',
    });
  }
  const { databaseUrl, eventsUrl } = config;
  if (databaseUrl !== undefined && eventsUrl !== undefined && !isPostgresUrl(eventsUrl)) {
    const message = isPostgresUrl(databaseUrl)
      ? 'names an SQLite file, but nodes on PostgreSQL share their events; name a PostgreSQL database, or leave it empty.'
      : 'is the same as FLAGSVC_DATABASE_URL; name another file, or leave it empty.';
    const isSame = databaseUrl === eventsUrl && databaseUrl !== 'sqlite::memory:';
    if (isSame || isPostgresUrl(databaseUrl)) faults.push({ variable: 'FLAGSVC_EVENTS_URL', message });
  }
  if (config.port !== undefined && config.port > 0 && config.metricsPort === config.port) {
    faults.push({
      variable: 'FLAGSVC_METRICS_PORT',
      message: `is ${config.port}, the same as FLAGSVC_PORT; use another port, which only Prometheus needs to reach.`,
    });
  }
  if (config.smtpServer && config.mailFrom === null) {
    faults.push({
      variable: 'FLAGSVC_MAIL_FROM',
      message:
        'is required with FLAGSVC_SMTP_URL; write "flags@example.com", or "Flags <flags@example.com>".',
    });
  }
  const { dashboardPort } = config;
  if (!dashboardPort) return faults;
  const other = {
    [String(config.metricsPort)]: 'FLAGSVC_METRICS_PORT',
    [String(config.port)]: 'FLAGSVC_PORT',
  }[dashboardPort];
  if (other !== undefined) {
    faults.push({
      variable: 'FLAGSVC_DASHBOARD_PORT',
      message: `is ${dashboardPort}, the same as ${other}; use another port, or "off" to serve no dashboard.`,
    });
  }
  return faults;
}

/** Settings that are allowed but probably not what the operator wants. */
function findDoubts({ smtpServer, mailFrom, dashboardUrl }: ReadConfig): ConfigFault[] {
  if (mailFrom !== null && smtpServer === null) {
    return [{ variable: 'FLAGSVC_MAIL_FROM', message: 'has no effect without FLAGSVC_SMTP_URL.' }];
  }
  if (smtpServer !== null && dashboardUrl === null) {
    return [
      {
        variable: 'FLAGSVC_DASHBOARD_URL',
        message:
          'is not set, so links in emails begin with http://localhost, which works only on this machine; set it to the address of the dashboard.',
      },
    ];
  }
  return [];
}

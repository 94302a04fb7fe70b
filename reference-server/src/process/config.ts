import { editDistance } from '../lib/edit-distance.ts';
import { SECRET_LENGTH_MIN, SECRET_RECIPE } from './config-values.ts';
import { type Config, type ReadConfig, VARIABLES, type Variable } from './config-variables.ts';

/** One fault of the configuration, with its remedy. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** The configuration, or every fault in it. */
export type ConfigResult =
  | { readonly config: Config; readonly warnings: readonly ConfigFault[] }
  | { readonly faults: readonly ConfigFault[] };

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
  const values = Object.entries(VARIABLES as Record<string, Variable<unknown>>).map(([field, variable]) => [
    field,
    readVariable(variable, env, faults),
  ]);
  const read = Object.fromEntries(values) as ReadConfig;
  const config = withDerivedDefaults(read);
  faults.push(...findContradictions(config));
  const warnings = findUnknownVariables(
    env,
    Object.values(VARIABLES).map(({ name }) => name),
    faults,
  );
  return faults.length > 0 ? { faults } : { config, warnings: [...findDoubts(read), ...warnings] };
}

/** Fills in the defaults that depend on other variables. */
function withDerivedDefaults(config: ReadConfig): Config {
  const { host, dashboardPort, dashboardHost, dashboardUrl } = config;
  return {
    ...config,
    dashboardHost: dashboardHost ?? host,
    dashboardUrl: dashboardUrl ?? `http://localhost:${dashboardPort || 3000}`,
  };
}

/** The value of one variable, or its default after adding a fault. */
function readVariable(
  { name, fallback, read }: Variable<unknown>,
  env: Readonly<Record<string, string | undefined>>,
  faults: ConfigFault[],
): unknown {
  const text = env[name]?.trim();
  try {
    if (text !== undefined && text !== '') return read(text);
    if (fallback !== undefined) return fallback;
    throw new Error(
      `is required: set it to at least ${SECRET_LENGTH_MIN} random characters (${SECRET_RECIPE}).`,
    );
  } catch (error) {
    faults.push({ variable: name, message: (error as Error).message });
    return fallback;
  }
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

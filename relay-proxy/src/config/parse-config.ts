import {
  type ConfigFault,
  type Env,
  findUnknownVariables,
  listOf,
  readVariables,
  type Variable,
} from '@flagsvc/reference-server/data-plane';
import { readKey } from './config-values.ts';
import { type ReadVariables, VARIABLES } from './variables.ts';

/** The relay's configuration. */
export type RelayConfig = Omit<ReadVariables, 'keysFile'>;

/** The configuration, or every fault in it. */
export type ConfigResult =
  | { readonly config: RelayConfig; readonly warnings: readonly ConfigFault[] }
  | { readonly faults: readonly ConfigFault[] };

/** The relay ignores variables of the command line and of SDKs, and those of the container image, without a warning. */
const IGNORED: ReadonlySet<string> = new Set([
  ...['FLAGSVC_URL', 'FLAGSVC_TOKEN', 'FLAGSVC_API_KEY'],
  ...['FLAGSVC_HOST', 'FLAGSVC_PORT', 'FLAGSVC_DATABASE_URL'],
  ...['FLAGSVC_REGISTRATION', 'FLAGSVC_PASSWORD_BLOCKLIST'],
]);

/**
 * Reads the configuration from a record such as `process.env`. Reports all faults at once, each with its variable and
 * its remedy. `readFile` reads the file of `FLAGSVC_RELAY_KEYS_FILE` and may throw.
 */
export function parseConfig(env: Env, readFile: (path: string) => string): ConfigResult {
  const faults: ConfigFault[] = [];
  const variables: Readonly<Record<string, Variable<unknown>>> = VARIABLES;
  const { keysFile, ...read } = readVariables(variables, env, faults) as unknown as ReadVariables;
  const isNamed = faults.some(({ variable }) => variable === VARIABLES.keys.name);
  const keys = keysFile === null ? read.keys : readKeysFile(keysFile, readFile, faults);
  if (keysFile !== null && read.keys.length > 0) {
    faults.push({
      variable: VARIABLES.keysFile.name,
      message: `is set beside ${VARIABLES.keys.name}; remove one of them.`,
    });
  } else if (keys?.length === 0 && !isNamed) {
    faults.push({
      variable: keysFile === null ? VARIABLES.keys.name : VARIABLES.keysFile.name,
      message:
        'names no key; create one for each environment with "flagsvc keys create relay --kind relay -e <environment>".',
    });
  }
  if (read.metricsPort !== null && read.metricsPort > 0 && read.metricsPort === read.port) {
    faults.push({
      variable: VARIABLES.metricsPort.name,
      message: `is ${read.port}, the same as ${VARIABLES.port.name}; use another port.`,
    });
  }
  const names = Object.values(VARIABLES).map(({ name }) => name);
  const warnings = findUnknownVariables(env, { names, ignored: IGNORED }, faults);
  if (faults.length > 0) return { faults };
  return { config: { ...read, keys: [...new Set(keys)] }, warnings };
}

function readKeysFile(
  path: string,
  readFile: (path: string) => string,
  faults: ConfigFault[],
): readonly string[] | undefined {
  const variable = VARIABLES.keysFile.name;
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    faults.push({ variable, message: `names "${path}", which cannot be read (${code}).` });
    return undefined;
  }
  try {
    return listOf(readKey)(text.replaceAll(/\r?\n/g, ','));
  } catch (error) {
    faults.push({ variable, message: `names "${path}", which ${(error as Error).message}` });
    return undefined;
  }
}

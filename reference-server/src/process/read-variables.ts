import { editDistance } from '../lib/edit-distance.ts';
import type { Read } from './config-values.ts';

/** One environment variable. */
export interface Variable<T> {
  /** The whole name, such as `FLAGSVC_PORT`. */
  readonly name: string;
  /** What it sets, for `--help`: a phrase without a period. */
  readonly meaning: string;
  /** The value when the variable is absent or empty; undefined: the variable is required. */
  readonly fallback: T | undefined;
  /** For a required variable: what to do when it is absent, such as "set it to …". */
  readonly remedy?: string;
  /** The default as a user would write it. */
  readonly shownDefault: string;
  readonly read: Read<T>;
}

/** One fault of the configuration, with its remedy. */
export interface ConfigFault {
  readonly variable: string;
  readonly message: string;
}

/** A record such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A variable this close to a known name is a typing error rather than another program's variable. */
const TYPO_DISTANCE_MAX = 2;

/** Reads all variables by their field; an empty one counts as absent. Adds each fault to `faults`. */
export function readVariables(
  variables: Readonly<Record<string, Variable<unknown>>>,
  env: Env,
  faults: ConfigFault[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(variables).map(([field, variable]) => [field, readVariable(variable, env, faults)]),
  );
}

/** The value of one variable, or its default after adding a fault. */
function readVariable(
  { name, fallback, remedy, read }: Variable<unknown>,
  env: Env,
  faults: ConfigFault[],
): unknown {
  const text = env[name]?.trim();
  try {
    if (text !== undefined && text !== '') return read(text);
    if (fallback !== undefined) return fallback;
    throw new Error(`is required: ${remedy}`);
  } catch (error) {
    faults.push({ variable: name, message: (error as Error).message });
    return fallback;
  }
}

/**
 * Finds unknown `FLAGSVC_*` variables except those in `ignored`. Variables close to a known name are faults; all others
 * are warnings.
 */
export function findUnknownVariables(
  env: Env,
  { names, ignored }: { readonly names: readonly string[]; readonly ignored: ReadonlySet<string> },
  faults: ConfigFault[],
): ConfigFault[] {
  const warnings: ConfigFault[] = [];
  for (const variable of Object.keys(env)) {
    if (!variable.toUpperCase().startsWith('FLAGSVC_') || names.includes(variable)) continue;
    if (ignored.has(variable)) continue;
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

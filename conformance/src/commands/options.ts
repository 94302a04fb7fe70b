import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Outputs } from '../report/recorder.ts';
import type { ExpectedFailure } from '../report/results.ts';
import { compareVersions } from '../suite/lifetime.ts';
import { loadSuite, type Suite, suiteDirectory, versionOf } from '../suite/suite.ts';

/** The command line is wrong. The message says how to correct it. */
export class UsageError extends Error {}

/** Options of every command that runs cases. */
export const OUTPUT_OPTIONS = {
  format: { type: 'string', default: 'human' },
  tap: { type: 'string' },
  junit: { type: 'string' },
  jsonl: { type: 'string' },
  html: { type: 'string' },
  report: { type: 'string' },
  badges: { type: 'string' },
  out: { type: 'string' },
  only: { type: 'string', multiple: true },
  'expected-failures': { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

/** Parses strictly. Throws a UsageError for anything unknown. */
export const parseOptions = <Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
  allowPositionals = false,
) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

/** Returns the number of an option. Throws a UsageError that states its bounds. */
export const toNumber = <Name extends string>(
  values: { readonly [Key in Name]?: string | undefined },
  name: Name,
  { min, max = Number.MAX_SAFE_INTEGER, integer = false }: { min: number; max?: number; integer?: boolean },
): number => {
  const text = values[name] ?? '';
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (number >= min && number <= max && (!integer || Number.isInteger(number))) return number;
  const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`--${name} ${text} is not a ${integer ? 'whole ' : ''}number ${bounds}`);
};

/** Loads the suite, or the version of it that `--spec` names. */
export const loadEdition = (version: string | undefined): Suite => {
  const directory = suiteDirectory();
  const newest = versionOf(directory);
  if (version === undefined) return loadSuite(directory, newest);
  if (!/^\d+(\.\d+){0,2}$/.test(version))
    throw new UsageError(`--spec ${version} is not a version such as ${newest}`);
  if (compareVersions(version, newest) > 0)
    throw new UsageError(`--spec ${version}: this suite is ${newest}`);
  return loadSuite(directory, version);
};

type OutputValues = { readonly [Name in keyof typeof OUTPUT_OPTIONS]?: string | string[] | undefined };

/** Returns where results are written. `--out DIR` writes every file there. */
export const toOutputs = (values: OutputValues): Outputs => {
  const { format } = values;
  if (format !== 'human' && format !== 'tap' && format !== 'jsonl') {
    throw new UsageError('--format is human, tap or jsonl');
  }
  const out = values.out as string | undefined;
  const fileNames = {
    tap: 'results.tap',
    junit: 'junit.xml',
    jsonl: 'results.jsonl',
    html: 'matrix.html',
    report: 'report.json',
    badges: 'badges',
  } as const;
  const names = Object.keys(fileNames) as (keyof typeof fileNames)[];
  const files = Object.fromEntries(
    names.flatMap((name) => {
      const path =
        (values[name] as string | undefined) ?? (out === undefined ? undefined : join(out, fileNames[name]));
      return path === undefined ? [] : [[name, path]];
    }),
  );
  // A path that cannot be written fails before the run, not after it.
  for (const [name, path] of Object.entries(files))
    ensureWritable(name === 'badges' ? path : dirname(path), name);
  const { stdout } = process;
  return {
    format,
    files,
    out: { write: (text) => void stdout.write(text), live: stdout.isTTY === true },
  };
};

const ensureWritable = (directory: string, name: string): void => {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--${name} cannot be written: ${(error as Error).message}`);
  }
};

/** Reads a JSON file. Throws a UsageError with its path. */
export const readJson = (path: string): unknown => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${(error as Error).message}`);
  }
};

/** Reads a file of expected failures: `{"expected_failures": [{"id", "reason", "issue"}]}`. */
export const readExpectedFailures = (path: string | undefined): ExpectedFailure[] => {
  if (path === undefined) return [];
  const { expected_failures: listed } = (readJson(path) ?? {}) as { expected_failures?: unknown };
  if (!Array.isArray(listed)) throw new UsageError(`${path} has no list "expected_failures"`);
  for (const [at, one] of listed.entries()) {
    if (typeof one?.id !== 'string' || typeof one.reason !== 'string') {
      throw new UsageError(`${path}: expected_failures[${at}] needs the strings "id", "reason" and "issue"`);
    }
  }
  return listed;
};

/** A case, as `--only` selects it. */
interface Selectable {
  readonly id: string;
  readonly group: string;
  readonly requirements?: readonly string[];
}

/**
 * Selects cases by the values of `--only`: ids, groups, prefixes of either, or sentences, separated by commas. Without
 * any, it selects all cases.
 */
export const createSelection = (only: readonly string[] = []) => {
  const wanted = only.flatMap((text) => text.split(',')).map((text) => text.trim().replace(/\*$/, ''));
  const hits = new Set<string>();
  return {
    partial: wanted.length > 0,
    has({ id, group, requirements = [] }: Selectable): boolean {
      if (wanted.length === 0) return true;
      const found = wanted.filter(
        (word) =>
          id === word ||
          // An id with a dot is complete: ERR-06.1 does not select ERR-06.10.
          (!word.includes('.') && id.startsWith(word)) ||
          group === word ||
          group.startsWith(`${word}/`) ||
          requirements.includes(word),
      );
      for (const word of found) hits.add(word);
      return found.length > 0;
    },
    /** Whether the id itself was given. */
    names: (id: string): boolean => wanted.includes(id),
    /** Throws if a value selected nothing, so that a typing error does not look like a pass. */
    check(): void {
      const unmatched = wanted.filter((word) => !hits.has(word));
      if (unmatched.length) throw new UsageError(`--only ${unmatched.join(',')} names no case; see "list"`);
    },
  };
};

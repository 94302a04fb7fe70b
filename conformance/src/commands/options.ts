import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Outputs } from '../report/recorder.ts';
import type { ExpectedFailure } from '../report/results.ts';
import { compareVersions } from '../suite/lifetime.ts';
import { loadSuite, type Suite, suiteDirectory, versionOf } from '../suite/suite.ts';

/** The command line was wrong; the message says what would be right. */
export class UsageError extends Error {}

/** Options of everything that runs cases. */
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

/** Parses strictly; what is wrong becomes a UsageError. */
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

/** The number that an option holds. Throws with its bounds. */
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

/** The suite, as it is or as it was in the version that `--spec` names. */
export const loadEdition = (version: string | undefined): Suite => {
  const directory = suiteDirectory();
  const newest = versionOf(directory);
  if (version === undefined) return loadSuite(directory, newest);
  if (!/^\d+(\.\d+){0,2}$/.test(version))
    throw new UsageError(`--spec ${version} is no version, such as ${newest}`);
  if (compareVersions(version, newest) > 0)
    throw new UsageError(`--spec ${version}: this suite is ${newest}`);
  return loadSuite(directory, version);
};

type OutputValues = { readonly [Name in keyof typeof OUTPUT_OPTIONS]?: string | string[] | undefined };

/** Where results go. `--out DIR` is all the files at once. */
export const toOutputs = (values: OutputValues): Outputs => {
  const { format } = values;
  if (format !== 'human' && format !== 'tap' && format !== 'jsonl') {
    throw new UsageError('--format is human, tap or jsonl');
  }
  const out = values.out as string | undefined;
  const usual = {
    tap: 'results.tap',
    junit: 'junit.xml',
    jsonl: 'results.jsonl',
    html: 'matrix.html',
    report: 'report.json',
    badges: 'badges',
  } as const;
  const names = Object.keys(usual) as (keyof typeof usual)[];
  const files = Object.fromEntries(
    names.flatMap((name) => {
      const path =
        (values[name] as string | undefined) ?? (out === undefined ? undefined : join(out, usual[name]));
      return path === undefined ? [] : [[name, path]];
    }),
  );
  // Now, not after the run: it would be a pity.
  for (const [name, path] of Object.entries(files)) prepare(name === 'badges' ? path : dirname(path), name);
  const { stdout } = process;
  return {
    format,
    files,
    out: { write: (text) => void stdout.write(text), live: stdout.isTTY === true },
  };
};

const prepare = (directory: string, name: string): void => {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--${name} cannot be written: ${(error as Error).message}`);
  }
};

/** Reads a file of JSON that the command line names. Throws with its path and what is wrong with it. */
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
      throw new UsageError(`${path}: expected_failures[${at}] needs the texts "id", "reason" and "issue"`);
    }
  }
  return listed;
};

/** A case that may be chosen. */
interface Selectable {
  readonly id: string;
  readonly group: string;
  readonly requirements?: readonly string[];
}

/**
 * Chooses cases: `--only` takes ids, groups and beginnings of either, also several with commas. Without it,
 * everything. Throws when something named is not there.
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
          // The id of one of a family is whole: ERR-06.1 does not begin ERR-06.10.
          (!word.includes('.') && id.startsWith(word)) ||
          group === word ||
          group.startsWith(`${word}/`) ||
          requirements.includes(word),
      );
      for (const word of found) hits.add(word);
      return found.length > 0;
    },
    /** Whether it is asked for by its own id. */
    names: (id: string): boolean => wanted.includes(id),
    /** Throws for a word that chose nothing: a typing error must not look like a pass. */
    check(): void {
      const lost = wanted.filter((word) => !hits.has(word));
      if (lost.length) throw new UsageError(`--only ${lost.join(',')} names no case; see "list"`);
    },
  };
};

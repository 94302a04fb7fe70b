import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Outputs } from '../report/recorder.ts';

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
  const { stdout } = process;
  return {
    format,
    files,
    out: { write: (text) => void stdout.write(text), live: stdout.isTTY === true },
  };
};

/**
 * Chooses cases: `--only` takes ids, groups and beginnings of either, also several with commas. Without it,
 * everything. Throws when something named is not there.
 */
export const createSelection = (only: readonly string[] = []) => {
  const wanted = only.flatMap((text) => text.split(',')).map((text) => text.trim().replace(/\*$/, ''));
  const hits = new Set<string>();
  return {
    partial: wanted.length > 0,
    has({ id, group }: { readonly id: string; readonly group: string }): boolean {
      if (wanted.length === 0) return true;
      const found = wanted.filter(
        (word) => id === word || id.startsWith(word) || group === word || group.startsWith(`${word}/`),
      );
      for (const word of found) hits.add(word);
      return found.length > 0;
    },
    /** Throws for a word that chose nothing: a typing error must not look like a pass. */
    check(): void {
      const lost = wanted.filter((word) => !hits.has(word));
      if (lost.length) throw new UsageError(`--only ${lost.join(',')} names no case; see "list"`);
    },
  };
};

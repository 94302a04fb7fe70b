import type { Secrets } from '../app/secrets.ts';

/** What every maintenance command gets. */
export interface OperatorContext extends Secrets {
  readonly databaseUrl: string;
  /** Where the events are. */
  readonly eventsUrl: string;
  /** For the variables `AWS_*`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The version of flagsvc. */
  readonly version: string;
  readonly now: () => number;
  /** Reports progress. */
  note(line: string): void;
}

/** What a command did. */
export interface Outcome {
  /** For people. */
  readonly lines: readonly string[];
  /** For programs (`--json`). */
  readonly result: object;
  /** True if the command ran and found faults: exit status 2. */
  readonly hasFaults?: boolean;
}

/** A command that cannot do what the operator asked for. The message says why and what to do; exit status 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** `1 table`, `2 tables`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number of bytes for people, such as `12.3 MB`. */
export function sizeOf(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1_000 ** power).toFixed(1)} ${units[power]}`;
}

import type { Outcome } from '../command.ts';

export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** What one check found. */
export interface CheckResult {
  readonly status: CheckStatus;
  /** One sentence without a period. */
  readonly message: string;
  /** Single faults, at most `DETAILS_MAX`. */
  readonly details?: readonly string[];
}

/** The results of all checks, by name. */
export type CheckResults = ReadonlyMap<string, CheckResult>;

const DETAILS_MAX = 20;

/** The result of a check that lists its faults; `ok` says what was checked if there are none. */
export function resultOf(faults: readonly string[], ok: string, failed: string): CheckResult {
  if (faults.length === 0) return { status: 'ok', message: ok };
  return { status: 'failed', message: failed, details: firstOf(faults) };
}

export function firstOf(details: readonly string[]): readonly string[] {
  const left = details.length - DETAILS_MAX;
  return left > 0 ? [...details.slice(0, DETAILS_MAX), `and ${left} more`] : details;
}

/** The report of `flagsvc-server check`. */
export function reportChecks(database: string, results: CheckResults): Outcome {
  const all = [...results];
  const failed = all.filter(([, { status }]) => status === 'failed');
  const lines = all.flatMap(([name, { status, message, details = [] }]) => [
    `${status.padEnd(8)} ${name.padEnd(13)} ${message}`,
    ...details.map((detail) => `${' '.repeat(23)}${detail}`),
  ]);
  const end =
    failed.length === 0
      ? `${database} is sound.`
      : `${database} has faults: ${failed.map(([name]) => name).join(', ')}.`;
  return {
    lines: [...lines, end],
    result: {
      database,
      sound: failed.length === 0,
      checks: all.map(([name, { status, message, details = [] }]) => ({ name, status, message, details })),
    },
    hasFaults: failed.length > 0,
  };
}

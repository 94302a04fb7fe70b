import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from '../report/results.ts';
import { cacheDirectory } from './cache-directory.ts';
import { UsageError } from './options.ts';

/** The cases that did not pass when an adapter was last tested from this directory. */
export interface FailedCases {
  /** Ids of the failed cases. Throws a UsageError if no run was recorded. */
  read(): ReadonlySet<string>;
  /** Records a run: the result of each of its cases replaces the earlier one. */
  update(cases: readonly CaseResult[]): void;
}

/** The ids of the cases that failed or crashed. */
export const idsOfFailed = (cases: readonly CaseResult[]): ReadonlySet<string> =>
  new Set(cases.filter(({ outcome }) => outcome === 'fail' || outcome === 'crash').map(({ id }) => id));

/** Keeps the record in the user's cache directory. `adapter` is the command line that tests the adapter. */
export const createFailedCases = (adapter: string): FailedCases => {
  const directory = cacheDirectory();
  const key = createHash('sha256').update(`${process.cwd()}\n${adapter}`).digest('hex').slice(0, 24);
  const path = join(directory, `${key}.json`);
  const load = (): string[] | undefined => {
    try {
      const ids: unknown = JSON.parse(readFileSync(path, 'utf8'));
      return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    read() {
      const ids = load();
      if (!ids) {
        throw new UsageError(
          '--failed: no run of this adapter from this directory is recorded; run once without --failed',
        );
      }
      return new Set(ids);
    },
    update(cases) {
      const ran = new Set(cases.map(({ id }) => id));
      const kept = (load() ?? []).filter((id) => !ran.has(id));
      try {
        mkdirSync(directory, { recursive: true });
        writeFileSync(path, JSON.stringify([...kept, ...idsOfFailed(cases)]));
      } catch {
        // Without a writable cache there is no record, and `--failed` says so.
      }
    },
  };
};

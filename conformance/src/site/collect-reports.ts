import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RunReport } from '../report/results.ts';

/** The reports below a directory, oldest first. Other JSON files, such as badges, are left out. */
export const collectReports = (directory: string): RunReport[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .flatMap((path) => readReport(path))
    .sort((left, right) => (left.started_at < right.started_at ? -1 : 1));

const readReport = (path: string): RunReport[] => {
  let read: RunReport | null;
  try {
    read = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`);
  }
  return read?.format === 'flagsvc-conformance-report-1' ? [read] : [];
};

import type { CaseResult, RunReport } from './results.ts';

/** A result as one line of JSON, for other programs. */
export const toJsonLine = (result: CaseResult): string => `${JSON.stringify(result)}\n`;

/** A report as JSON lines: first the run, then its cases. */
export const toJsonLines = ({ cases, ...run }: RunReport): string =>
  [run, ...cases].map((line) => `${JSON.stringify(line)}\n`).join('');

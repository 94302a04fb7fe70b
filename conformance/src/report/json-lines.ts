import type { CaseResult, RunReport } from './results.ts';

/** One line for each case, for other programs. */
export const toJsonLine = (result: CaseResult): string => `${JSON.stringify(result)}\n`;

/** All of it, one object a line; the first one names the run. */
export const toJsonLines = ({ cases, ...run }: RunReport): string =>
  [run, ...cases].map((line) => `${JSON.stringify(line)}\n`).join('');

/** The matrix of runtimes: the last measurement of each, and the Markdown tables that show them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The last successful run of one runtime. */
export interface Measurement {
  readonly runtime: string;
  readonly version: string;
  readonly engine: string;
  /** The number of vectors, all of which passed. */
  readonly vectors: number;
  /** The number of rows of bucket.csv, all of which passed. */
  readonly rows: number;
  /** The first 12 hexadecimal digits of the SHA-256 of all answers. */
  readonly answers: string;
  /** The date of the run, as `2026-11-23`. */
  readonly measured: string;
}

/** The result for one runtime: a measurement, the reason why it is not installed, or the failure. */
export type Finding = Measurement | { readonly runtime: string; readonly missing: string } | Failure;
interface Failure {
  readonly runtime: string;
  readonly failed: string;
}

const folder = import.meta.dirname;
const MEASUREMENTS = join(folder, 'measurements.json');
const HEAD = [
  'Runtime',
  'Version',
  'Engine',
  'Vectors',
  'Rows of bucket.csv',
  'SHA-256 of all answers',
  'Measured',
];

export const lastMeasurements = (): readonly Measurement[] => JSON.parse(readFileSync(MEASUREMENTS, 'utf8'));

/** Replaces the rows of runtimes that were measured, keeps the others, and appends new ones. */
export const merge = (last: readonly Measurement[], found: readonly Finding[]): readonly Measurement[] => {
  const fresh = new Map(found.flatMap((one) => ('answers' in one ? [[one.runtime, one] as const] : [])));
  const kept = last.map((row) => fresh.get(row.runtime) ?? row);
  const known = new Set(last.map(({ runtime }) => runtime));
  return [...kept, ...[...fresh.values()].filter(({ runtime }) => !known.has(runtime))];
};

/** The rows as a Markdown table with aligned columns. */
export const toTable = (rows: readonly Measurement[]): string => {
  const lines = [
    HEAD,
    ...rows.map(({ runtime, version, engine, vectors, rows, answers, measured }) => [
      ...[runtime, version, engine, `${vectors} of ${vectors}`, `${rows} of ${rows}`],
      ...[`\`${answers}\``, measured],
    ]),
  ];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const written = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  written.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return `${written.join('\n')}\n`;
};

/** Writes measurements.json and matrix.md. */
export const publish = (rows: readonly Measurement[]): void => {
  writeFileSync(MEASUREMENTS, `${JSON.stringify(rows, null, 2)}\n`);
  writeFileSync(join(folder, 'matrix.md'), toTable(rows));
};

/** The matrix of runtimes: what was measured last, each row with its date, and the tables that show it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What one runtime did when it was last there. */
export interface Measurement {
  readonly runtime: string;
  readonly version: string;
  readonly engine: string;
  /** How many vectors and rows of bucket.csv there were; all of them passed. */
  readonly vectors: number;
  readonly rows: number;
  /** The first digits of the SHA-256 of all answers. */
  readonly answers: string;
  /** The day, as `2026-11-23`. */
  readonly measured: string;
}

/** What a run found: a measurement, or why the runtime is not on this machine, or why it is wrong. */
export type Finding = Measurement | { readonly runtime: string; readonly missing: string } | Failure;
interface Failure {
  readonly runtime: string;
  readonly failed: string;
}

const folder = import.meta.dirname;
const MEASUREMENTS = join(folder, 'measurements.json');
const FRONT_PAGE = join(folder, '..', '..', 'README.md');
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

/** A runtime that is not on this machine, or that is wrong, keeps the row that it had; a new one goes to the end. */
export const merge = (last: readonly Measurement[], found: readonly Finding[]): readonly Measurement[] => {
  const fresh = new Map(found.flatMap((one) => ('answers' in one ? [[one.runtime, one] as const] : [])));
  const kept = last.map((row) => fresh.get(row.runtime) ?? row);
  const known = new Set(last.map(({ runtime }) => runtime));
  return [...kept, ...[...fresh.values()].filter(({ runtime }) => !known.has(runtime))];
};

/** A Markdown table with even columns. */
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

/** The page with its table of runtimes, the only one that begins so, replaced. */
export const withTable = (page: string, table: string): string => {
  const before = page.search(/^\| Runtime .*\| SHA-256 of all answers/m);
  if (before === -1) throw new Error('the page has no table of runtimes');
  const after = page.indexOf('\n\n', before);
  return page.slice(0, before) + table + page.slice(after + 1);
};

/** Writes the measurements, and the two pages that show them. */
export const publish = (rows: readonly Measurement[]): void => {
  writeFileSync(MEASUREMENTS, `${JSON.stringify(rows, null, 2)}\n`);
  writeFileSync(join(folder, 'matrix.md'), toTable(rows));
  writeFileSync(FRONT_PAGE, withTable(readFileSync(FRONT_PAGE, 'utf8'), toTable(rows)));
};

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toHtml } from '../report/html.ts';
import { type RunReport, unexpected } from '../report/results.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import { parseOptions, UsageError } from './options.ts';

/** `report`: puts the reports of several runs into one matrix. */
export const report = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseOptions(args, { html: { type: 'string' } }, true);
  if (positionals.length === 0)
    throw new UsageError('give one or more report.json, written by run or server');
  if (values.html === undefined) throw new UsageError('give --html FILE');
  const reports = positionals.map(readReport);
  mkdirSync(dirname(values.html), { recursive: true });
  writeFileSync(values.html, toHtml(reports, loadAllRequirements()));
  let good = true;
  for (const one of reports) {
    const lines = unexpected(one);
    if (lines.length) good = false;
    const { name, version } = one.implementation;
    process.stdout.write(
      `${name} ${version}: ${lines.length ? `${lines.length} not as expected` : 'as expected'}\n`,
    );
  }
  process.stdout.write(`${values.html}\n`);
  return good ? 0 : 1;
};

const readReport = (path: string): RunReport => {
  const read = JSON.parse(readFileSync(path, 'utf8')) as RunReport;
  if (read.format !== 'flagsvc-conformance-report-1') throw new Error(`${path} is no report of this program`);
  return read;
};

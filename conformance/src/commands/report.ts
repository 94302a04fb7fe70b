import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toHtml } from '../report/html.ts';
import { type RunReport, unexpected } from '../report/results.ts';
import { loadAllRequirements } from '../suite/requirements.ts';
import { parseOptions, readJson, UsageError } from './options.ts';

/** `report`: writes the reports of several runs as one matrix. */
export const report = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseOptions(args, { html: { type: 'string' } }, true);
  if (positionals.length === 0)
    throw new UsageError('give one or more report.json files, as run and server write them with --out DIR');
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
  const read = readJson(path) as RunReport | null;
  if (read?.format === 'flagsvc-conformance-report-1') return read;
  throw new UsageError(`${path} is not a report: give a report.json that --report FILE or --out DIR wrote`);
};

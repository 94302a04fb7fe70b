/**
 * `npm run conformance:runtimes`: all vectors in every JavaScript engine there is, from the built packages. Each
 * must answer right, and all must answer with the same bytes. Prints the matrix and writes it to matrix.md.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSuite, type Suite } from '../src/suite/suite.ts';
import { bundle, type Scripts } from './bundle.ts';
import { chromium } from './engines/chromium.ts';
import { commands } from './engines/commands.ts';
import type { Engine } from './engines/engine.ts';
import { firefox } from './engines/firefox.ts';
import { quickjs } from './engines/quickjs.ts';
import { shells } from './engines/shells.ts';
import { workerd } from './engines/workerd.ts';
import { judge, questionsOf } from './questions.ts';

const engines: readonly Engine[] = [...commands, workerd, chromium, firefox, ...shells, ...quickjs];
const folder = import.meta.dirname;

/** The engines are large, so they are installed when they are asked for. */
function install(): void {
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = join(folder, 'node_modules', '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  console.log('Installing the engines …');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) writeFileSync(stamp, digest);
  else console.log('Not all engines could be installed; what is missing is left out.');
}

interface Row {
  readonly cells: readonly string[];
  readonly isGood: boolean;
  readonly answers?: string;
}

async function rowOf(
  engine: Engine,
  suite: Suite,
  scripts: Scripts,
  questions: string,
  first?: string,
): Promise<Row> {
  const started = performance.now();
  const row = (version: string, ...rest: string[]): string[] => [
    engine.name,
    version,
    engine.engine,
    ...rest,
  ];
  try {
    const run = await engine.run(scripts, questions);
    if ('missing' in run) return { cells: row('–', '–', '–', run.missing), isGood: true };
    const { vectors, rows, failed } = judge(suite, run.answers);
    const isSame = first === undefined || run.answers === first;
    const digest = createHash('sha256').update(run.answers).digest('hex').slice(0, 12);
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    console.log(`${engine.name} ${run.version}: ${vectors} vectors, ${rows} rows in ${took}`);
    if (failed.length) console.log(`  failed: ${failed.slice(0, 20).join(' ')}`);
    return {
      cells: row(
        run.version,
        `${vectors} of ${suite.vectors.length}`,
        `${rows} of ${suite.buckets.length}`,
        `\`${digest}\``,
      ),
      isGood: isSame && failed.length === 0,
      answers: run.answers,
    };
  } catch (error) {
    return { cells: row('–', '–', '–', `failed: ${(error as Error).message.split('\n')[0]}`), isGood: false };
  }
}

/** A Markdown table with even columns. */
function table(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const written = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  written.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return `${written.join('\n')}\n`;
}

install();
const suite = loadSuite();
const questions = questionsOf(suite);
const scripts = await bundle();
const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const chosen = engines.filter(
  ({ name }) => !wanted.length || wanted.some((word) => name.toLowerCase().startsWith(word)),
);
const rows: Row[] = [];
for (const engine of chosen) {
  rows.push(await rowOf(engine, suite, scripts, questions, rows.find(({ answers }) => answers)?.answers));
}
const head = ['Runtime', 'Version', 'Engine', 'Vectors', 'Rows of bucket.csv', 'SHA-256 of all answers'];
const matrix = table([head, ...rows.map(({ cells }) => cells)]);
console.log(`\n${matrix}`);
if (!wanted.length) writeFileSync(join(folder, 'matrix.md'), matrix);
const isGood = rows.every((row) => row.isGood) && rows.some(({ answers }) => answers);
console.log(isGood ? 'Every runtime answers right, with the same bytes.' : 'Not all runtimes agree.');
process.exitCode = isGood ? 0 : 1;

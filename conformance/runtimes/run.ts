/**
 * `npm run conformance:runtimes`: all vectors in every JavaScript engine there is, from the built packages. Each
 * must answer right, and all must answer with the same bytes. Prints the matrix and writes it: a runtime that is not on
 * this machine keeps the row that it had.
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
import { judge, questionsOf } from './judge.ts';
import { type Finding, lastMeasurements, merge, publish, toTable } from './matrix.ts';

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

interface Asked {
  readonly finding: Finding;
  readonly answers?: string;
}

async function ask(
  { name: runtime, engine, run }: Engine,
  suite: Suite,
  scripts: Scripts,
  questions: string,
  first?: string,
): Promise<Asked> {
  const started = performance.now();
  try {
    const answer = await run(scripts, questions);
    if ('missing' in answer) return { finding: { runtime, missing: answer.missing } };
    const { version, answers } = answer;
    const { vectors, rows, failed } = judge(suite, answers);
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    console.log(`${runtime} ${version}: ${vectors} vectors, ${rows} rows in ${took}`);
    if (failed.length) return { finding: { runtime, failed: failed.slice(0, 20).join(' ') }, answers };
    if (first !== undefined && first !== answers) {
      return { finding: { runtime, failed: 'other bytes than the first runtime' }, answers };
    }
    const digest = createHash('sha256').update(answers).digest('hex').slice(0, 12);
    const measured = new Date().toISOString().slice(0, 10);
    return { finding: { runtime, version, engine, vectors, rows, answers: digest, measured }, answers };
  } catch (error) {
    return { finding: { runtime, failed: (error as Error).message.split('\n')[0]! } };
  }
}

install();
const suite = loadSuite();
const questions = questionsOf(suite);
const scripts = await bundle();
const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const chosen = engines.filter(
  ({ name }) => !wanted.length || wanted.some((word) => name.toLowerCase().startsWith(word)),
);
const asked: Asked[] = [];
for (const engine of chosen) {
  const first = asked.find(({ answers }) => answers !== undefined)?.answers;
  asked.push(await ask(engine, suite, scripts, questions, first));
}
const findings = asked.map(({ finding }) => finding);
const failures = findings.filter((one) => 'failed' in one);
for (const { runtime, failed } of failures) console.log(`${runtime} failed: ${failed}`);
for (const one of findings) {
  if ('missing' in one) console.log(`${one.runtime} is ${one.missing}; its row stays as it was.`);
}
const matrix = merge(lastMeasurements(), findings);
console.log(`\n${toTable(matrix)}`);
const isGood = failures.length === 0 && findings.some((one) => 'answers' in one);
if (isGood) publish(matrix);
console.log(
  isGood
    ? 'Every runtime that is here answers right, with the same bytes. The matrix is written.'
    : 'Not all runtimes agree. Nothing is written.',
);
process.exitCode = isGood ? 0 : 1;

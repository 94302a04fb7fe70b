/**
 * `npm run conformance:runtimes`: runs all vectors in many JavaScript engines, with the built packages. Every engine
 * must answer correctly and with the same bytes. Prints and writes the matrix; a runtime that is not installed keeps
 * its previous row.
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
import { inputOf, judge } from './judge.ts';
import { type Finding, lastMeasurements, merge, publish, toTable } from './matrix.ts';

const engines: readonly Engine[] = [...commands, workerd, chromium, firefox, ...shells, ...quickjs];
const folder = import.meta.dirname;

/** Installs the engines on first use, because they are large. */
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
  else console.log('Not all engines could be installed; the missing ones are skipped.');
}

interface EngineRun {
  readonly finding: Finding;
  readonly answers?: string;
}

async function runEngine(
  { name: runtime, engine, run }: Engine,
  suite: Suite,
  scripts: Scripts,
  input: string,
  first?: string,
): Promise<EngineRun> {
  const started = performance.now();
  try {
    const answer = await run(scripts, input);
    if ('missing' in answer) return { finding: { runtime, missing: answer.missing } };
    const { version, answers } = answer;
    const { vectors, rows, failed } = judge(suite, answers);
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    console.log(`${runtime} ${version}: ${vectors} vectors, ${rows} rows in ${took}`);
    if (failed.length) return { finding: { runtime, failed: failed.slice(0, 20).join(' ') }, answers };
    if (first !== undefined && first !== answers) {
      return {
        finding: { runtime, failed: 'its answers differ in bytes from those of the first runtime' },
        answers,
      };
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
const input = inputOf(suite);
const scripts = await bundle();
const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const chosen = engines.filter(
  ({ name }) => !wanted.length || wanted.some((word) => name.toLowerCase().startsWith(word)),
);
const runs: EngineRun[] = [];
for (const engine of chosen) {
  const first = runs.find(({ answers }) => answers !== undefined)?.answers;
  runs.push(await runEngine(engine, suite, scripts, input, first));
}
const findings = runs.map(({ finding }) => finding);
const failures = findings.filter((one) => 'failed' in one);
for (const { runtime, failed } of failures) console.log(`${runtime} failed: ${failed}`);
for (const one of findings) {
  if ('missing' in one) console.log(`${one.runtime} skipped (${one.missing}); its row stays unchanged.`);
}
const matrix = merge(lastMeasurements(), findings);
console.log(`\n${toTable(matrix)}`);
const isGood = failures.length === 0 && findings.some((one) => 'answers' in one);
if (isGood) publish(matrix);
console.log(
  isGood
    ? 'All installed runtimes answer correctly and with the same bytes. The matrix has been updated.'
    : 'Not all runtimes agree. The matrix has not been changed.',
);
process.exitCode = isGood ? 0 : 1;

// `npm test`: build, types, lint and all tests. Continues after a failure, and ends with one line per failure, the time
// it took and `N passed, M failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureInstalled, node, root } from './ensure.mjs';

const SERVER = 'reference-server/tsconfig.json';
const SLOWEST = 10;
const started = Date.now();
const totals = { passed: 0, skipped: 0 };
const failures = [];

await ensureInstalled();
const { projects } = await import('./packages.mjs');

// Type checks read types that are generated from the API document. Checking the server takes about as long as checking
// all other projects, so the two run at the same time.
await check('API document', ['--conditions=@flagsvc/source', 'scripts/openapi.ts']);
await Promise.all([
  check('build', ['scripts/build.mjs']).then(() =>
    check('lint and format', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']),
  ),
  check('types of the server', ['scripts/typecheck.mjs', SERVER]),
  check('types of everything else', ['scripts/typecheck.mjs', ...projects().filter((one) => one !== SERVER)]),
]);
await runTests();

for (const failure of failures) console.log(`✗ ${failure}`);
if (totals.skipped > 0) console.log(`${totals.skipped} skipped, each with its reason above.`);
console.log(`Took ${seconds(Date.now() - started)}.`);
console.log(`${totals.passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);

/**
 * Runs one command and counts it as a check. Prints its output at the end, because other checks run at the same time.
 */
async function check(name, args) {
  const from = Date.now();
  const { code, output } = await run(args, 'pipe');
  if (code === 0) totals.passed++;
  else failures.push(name);
  console.log(`${output}${code === 0 ? '✓' : '✗'} ${name} (${seconds(Date.now() - from)})`);
}

/** Runs all test files, or those that the arguments select. */
async function runTests() {
  const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-test-'));
  const report = join(scratch, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...process.argv.slice(2)];
  const { code } = await run(args, 'inherit');
  const tests = readReport(report);
  rmSync(scratch, { recursive: true, force: true });

  if (tests === undefined) {
    failures.push('tests');
    return;
  }
  const failed = tests.testResults.flatMap(failuresOf);
  // An error outside of any test fails only the run.
  failures.push(...(code !== 0 && failed.length === 0 ? ['tests'] : failed));
  totals.passed += tests.numPassedTests;
  totals.skipped += tests.numPendingTests;
  printSlowest(tests.testResults);
}

/** Vitest's report; undefined if the run wrote none, which counts as a failure whatever its exit code. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`The tests left no report: ${error.message}`);
    return undefined;
  }
}

function failuresOf({ name, status, assertionResults }) {
  const file = relative(root, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that fails to load has no tests.
  if (status === 'failed' && failed.length === 0) return [file];
  return failed.map(({ fullName }) => `${file}: ${fullName}`);
}

function printSlowest(files) {
  const timed = files.map(({ name, startTime, endTime }) => ({ name, took: endTime - startTime }));
  console.log('Slowest test files:');
  for (const { name, took } of timed.sort((a, b) => b.took - a.took).slice(0, SLOWEST))
    console.log(`  ${seconds(took).padStart(8)}  ${relative(root, name)}`);
}

/** Runs the repository's Node. Its output is returned with `pipe`, and printed at once with `inherit`. */
function run(args, how) {
  return new Promise((resolve) => {
    const child = spawn(node, args, { cwd: root, stdio: ['ignore', how, how] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

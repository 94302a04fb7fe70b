// `npm test`: build, types, lint and all tests. Continues after a failure, and ends with one line per failure and
// `N passed, M failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureInstalled, node, root } from './ensure.mjs';

ensureInstalled();
const { projects } = await import('./packages.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-test-'));
const report = join(scratch, 'vitest.json');
const totals = { passed: 0, skipped: 0 };
const failures = [];

await check('build', ['scripts/build.mjs']);
for (const project of projects())
  await check(`types of ${project}`, ['node_modules/typescript/bin/tsc', '-p', project]);
await check('lint and format', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']);
await vitest();

rmSync(scratch, { recursive: true, force: true });
for (const failure of failures) console.log(`✗ ${failure}`);
if (totals.skipped > 0) console.log(`${totals.skipped} skipped, each with its reason above.`);
console.log(`${totals.passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);

/** Runs one command and counts it as a check. */
async function check(name, args) {
  const started = Date.now();
  const code = await run(args);
  if (code === 0) totals.passed++;
  else failures.push(name);
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

/** Runs all test files. A run without a report counts as one failure. */
async function vitest() {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const code = await run([...args, ...process.argv.slice(2)]);
  let tests = { numPassedTests: 0, numPendingTests: 0, testResults: [] };
  try {
    tests = JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    console.error(`The tests left no report: ${error.message}`);
  }
  const before = failures.length;
  for (const { name: path, status, assertionResults } of tests.testResults) {
    const file = relative(root, path);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName } of failed) failures.push(`${file}: ${fullName}`);
    // A file that fails to load has no tests.
    if (status === 'failed' && failed.length === 0) failures.push(file);
  }
  // An error outside of any test fails only the run.
  if (code !== 0 && failures.length === before) failures.push('tests');
  totals.passed += tests.numPassedTests;
  totals.skipped += tests.numPendingTests;
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

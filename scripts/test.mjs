// `npm test`: everything that must hold. Runs all checks even when one fails, and ends with `N passed, M failed`.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, node, root } from './ensure.mjs';

ensureInstalled();
const { projects } = await import('./packages.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'flagsvc-test-'));
const report = join(scratch, 'vitest.json');
const totals = { passed: 0, failed: 0, skipped: 0 };

await check('build', ['scripts/build.mjs']);
for (const project of projects())
  await check(`types of ${project}`, ['node_modules/typescript/bin/tsc', '-p', project]);
await check('lint and format', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']);
await vitest();

rmSync(scratch, { recursive: true, force: true });
if (totals.skipped > 0) console.log(`${totals.skipped} skipped, each with its reason above.`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed > 0 ? 1 : 0);

/** One check that either holds or not. */
async function check(name, args) {
  const started = Date.now();
  const code = await run(args);
  totals[code === 0 ? 'passed' : 'failed']++;
  console.log(`${code === 0 ? '✓' : '✗'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

/** All tests in files. A run that ends without a report counts as one failure. */
async function vitest() {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const code = await run([...args, ...process.argv.slice(2)]);
  let tests = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numFailedTestSuites: 0 };
  try {
    tests = JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    console.error(`The tests left no report: ${error.message}`);
  }
  totals.passed += tests.numPassedTests;
  // A file that cannot be loaded fails without a test in it; so does an error outside of any test.
  totals.failed += tests.numFailedTests || (code === 0 ? 0 : Math.max(1, tests.numFailedTestSuites));
  totals.skipped += tests.numPendingTests;
}

function run(args) {
  return new Promise((resolve) => {
    const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('the tests of sdk-react pass on React 18', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'flagsvc-react-18-'));
  const report = join(folder, 'report.json');
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config=examples/react-18/react-18.config.ts',
    '--reporter=json',
    `--outputFile=${report}`,
  ];
  // The inner run of Vitest must not see the variables of this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], env });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) console.error(stderr.slice(-4000));
  const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(folder, { recursive: true });
  const failed = testResults.flatMap(
    (file: { message: string; assertionResults: { status: string; fullName: string }[] }) =>
      file.assertionResults.filter(({ status }) => status !== 'passed').map(({ fullName }) => fullName),
  );
  expect(failed).toEqual([]);
  expect(numPassedTests).toBeGreaterThan(30);
}, 60_000);

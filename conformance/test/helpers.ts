import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CaseResult, RunReport } from '../src/report/results.ts';

export const pathOf = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** A command for `--adapter` that runs a script with the packages' sources. */
export const nodeCommand = (path: string, ...args: string[]): string =>
  [process.execPath, '--conditions=@flagsvc/source', '--expose-gc', pathOf(path), ...args]
    .map((word) => JSON.stringify(word))
    .join(' ');

export const fakeAdapter = (mode: string, ...capabilities: string[]): string =>
  nodeCommand('test/fake-adapter.mjs', mode, ...capabilities);

/** Runs the command line in a child process. */
export const runCli = (
  args: readonly string[],
  cwd: string = pathOf('.'),
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [pathOf('bin/flagsvc-conformance.mjs'), ...args], { cwd });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => resolve({ code, out, err }));
  });

/** A complete report that contains the cases. */
export const reportOf = (cases: readonly CaseResult[], more: Partial<RunReport> = {}): RunReport => ({
  format: 'flagsvc-conformance-report-1',
  suite: '1.0.0',
  implementation: { name: 'sdk-<x>', version: '1.2.3' },
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 1234,
  planned: cases.length,
  partial: false,
  parts: ['vectors', 'sdk'],
  cases,
  expected_failures: [],
  ...more,
});

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

// The test of the kit's guide runs this evaluator against every vector.
const lacksPython = spawnSync('python3', ['--version']).status !== 0;

test.skipIf(lacksPython)(
  `the Python evaluator passes its unit tests${lacksPython ? ' (skipped: python3 is not installed)' : ''}`,
  () => {
    const args = ['-B', '-m', 'unittest', '-q'];
    const { status, stderr } = spawnSync('python3', args, { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(stderr).toContain('OK');
    expect(status).toBe(0);
  },
  120_000,
);

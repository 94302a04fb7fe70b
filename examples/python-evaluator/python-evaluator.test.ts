import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

// That it passes every vector through the kit is part of the kit's guide, and tested with it.
const lacksPython = spawnSync('python3', ['--version']).status !== 0;

test.skipIf(lacksPython)(
  `passes its own tests${lacksPython ? ' (skipped: python3 is not installed)' : ''}`,
  () => {
    const args = ['-B', '-m', 'unittest', '-q'];
    const { status, stderr } = spawnSync('python3', args, { cwd: import.meta.dirname, encoding: 'utf8' });
    expect(stderr).toContain('OK');
    expect(status).toBe(0);
  },
  120_000,
);

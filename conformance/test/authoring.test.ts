/** Vector files, authoring tables and the Python evaluator agree. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { pathOf } from './helpers.ts';

const lacksPython = spawnSync('python3', ['--version']).status !== 0;

test
  .skipIf(lacksPython)
  .each([
    'authoring/build_vectors.py',
    'authoring/build_buckets.py',
    'mutants/vectors.py',
    'authoring/build_index.py',
  ])(
  `%s --check reports no difference${lacksPython ? ' (skipped: python3 is not installed)' : ''}`,
  (script) => {
    const { status, stdout, stderr } = spawnSync('python3', [pathOf(script), '--check'], {
      encoding: 'utf8',
    });
    const complaints = stdout
      .split('\n')
      .filter((line) => line !== '' && !/^[\w.-]+: [\d,]+ |^\d+ vectors/.test(line));
    expect([...complaints, stderr].join('')).toBe('');
    expect(status).toBe(0);
  },
  240_000,
);

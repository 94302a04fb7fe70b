import { expect, test } from 'vitest';
import { stepsOf, undoOf } from './steps.ts';

test('each status leads to other ones, and every flag can end', () => {
  expect(stepsOf('draft')).toContain('activate');
  expect(stepsOf('stale')).toContain('unmark-stale');
  expect(stepsOf('archived')).toEqual(['restore', 'delete']);
  for (const status of ['draft', 'active', 'stale', 'archived'] as const)
    expect(stepsOf(status)).toContain('delete');
});

test('an archived flag comes back as it was only if it was active and off everywhere', () => {
  const off = { status: 'active', enabled: false } as const;
  expect(undoOf('archive', [off, off])).toBe('restore');
  expect(undoOf('archive', [off, { ...off, enabled: true }])).toBeUndefined();
  expect(undoOf('archive', [{ ...off, status: 'stale' }])).toBeUndefined();
  expect(undoOf('mark-stale', [off])).toBe('unmark-stale');
  expect(undoOf('activate', [off])).toBeUndefined();
});

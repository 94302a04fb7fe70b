import type { Flag } from '../../api/types.ts';

/** A step in the life of a flag. */
export type Step = 'activate' | 'mark-stale' | 'unmark-stale' | 'archive' | 'restore' | 'delete';

const STEPS: Readonly<Record<Flag['status'], readonly Step[]>> = {
  draft: ['activate', 'archive', 'delete'],
  active: ['mark-stale', 'archive', 'delete'],
  stale: ['unmark-stale', 'archive', 'delete'],
  archived: ['restore', 'delete'],
};

/** The steps that a flag can take next. */
export const stepsOf = (status: Flag['status']): readonly Step[] => STEPS[status];

/**
 * The step that brings the state before back; undefined where none does. A restored flag is active and off everywhere,
 * so that it is as before only if it was.
 */
export function undoOf(step: Step, flags: readonly Pick<Flag, 'status' | 'enabled'>[]): Step | undefined {
  if (step === 'mark-stale') return 'unmark-stale';
  const wasOff = flags.every(({ status, enabled }) => status === 'active' && !enabled);
  if (step === 'archive') return wasOff ? 'restore' : undefined;
  return step === 'restore' && flags.every(({ enabled }) => !enabled) ? 'archive' : undefined;
}

import { matchesAction } from '../../write-gate/match-action.ts';
import type { ScopedEnvironment } from './freeze-store.ts';

/** What a window covers. An empty list does not limit it. */
export interface FreezeScope {
  readonly project_ids: readonly string[];
  readonly environment_ids: readonly string[];
  readonly environment_types: readonly string[];
  readonly tags: readonly string[];
}

/** The kinds of changes that a window can permit because they reduce risk. */
export const SAFER_KINDS = ['disable', 'rollout_decrease'] as const;
export type SaferKind = (typeof SAFER_KINDS)[number];

export function coversEnvironment(
  scope: FreezeScope,
  environment: Omit<ScopedEnvironment, 'critical'>,
): boolean {
  return (
    isIn(scope.project_ids, environment.project_id) &&
    isIn(scope.environment_ids, environment.id) &&
    isIn(scope.environment_types, environment.type)
  );
}

const isIn = (list: readonly string[], value: string): boolean => list.length === 0 || list.includes(value);

/** Whether one of the patterns, such as `*`, `flag.*` or `flag.toggled`, matches the action. */
export function coversAction(blocked: readonly string[], action: string): boolean {
  return blocked.some((pattern) => matchesAction(pattern, action));
}

import type { Queryable } from '../../../../storage/database.ts';
import type { FlagState } from '../flag-state.ts';
import { findVariationKeys, listConfigsWithPrerequisites } from '../flag-store.ts';
import { checkPrerequisites, type PrerequisiteGraph } from './check-prerequisites.ts';

export interface PrerequisiteOptions {
  /** True accepts archived flags as prerequisites; default false. */
  readonly allowArchived?: boolean;
  /**
   * The result of `readPrerequisiteGraph`, so that a caller that checks several flags of an environment reads it only
   * once. Default: read it here.
   */
  readonly graph?: PrerequisiteGraph | undefined;
}

/** Reads the flags to which the prerequisites of a flag refer, and throws the errors of `checkPrerequisites`. */
export async function requirePrerequisites(
  db: Queryable,
  { key, projectId, environmentId, prerequisites }: FlagState,
  { allowArchived = false, graph }: PrerequisiteOptions = {},
): Promise<void> {
  if (prerequisites.length === 0) return;
  const flagKeys = prerequisites.map((prerequisite) => prerequisite.flag_key);
  checkPrerequisites(prerequisites, {
    flagKey: key,
    environmentId,
    variationKeys: await findVariationKeys(db, { projectId, flagKeys, allowArchived }),
    graph: graph ?? (await readPrerequisiteGraph(db, projectId, environmentId)),
  });
}

/** The prerequisites of all flags in an environment. */
export async function readPrerequisiteGraph(
  db: Queryable,
  projectId: string,
  environmentId: string,
): Promise<Map<string, readonly string[]>> {
  const configs = await listConfigsWithPrerequisites(db, projectId, environmentId);
  return new Map(
    configs.map((config) => [config.flagKey, config.prerequisites.map(({ flag_key }) => flag_key)]),
  );
}

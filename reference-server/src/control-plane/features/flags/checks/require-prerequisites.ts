import type { Queryable } from '../../../../storage/database.ts';
import type { FlagState } from '../flag-state.ts';
import { findVariationKeys, listConfigsWithPrerequisites } from '../flag-store.ts';
import { checkPrerequisites, type PrerequisiteGraph } from './check-prerequisites.ts';

/** Throws unless the flag may wait for what it names in its environment (decisions/0008). */
export async function requirePrerequisites(
  db: Queryable,
  { key, projectId, environmentId, prerequisites }: FlagState,
  {
    archivedToo = false,
    graph,
  }: {
    readonly archivedToo?: boolean;
    /** As `readGraph` reads it; given where many flags of one environment are checked. */
    readonly graph?: PrerequisiteGraph | undefined;
  } = {},
): Promise<void> {
  if (prerequisites.length === 0) return;
  const named = prerequisites.map((prerequisite) => prerequisite.flag_key);
  checkPrerequisites(prerequisites, {
    flagKey: key,
    environmentId,
    variationKeys: await findVariationKeys(db, projectId, named, { archivedToo }),
    graph: graph ?? (await readGraph(db, projectId, environmentId)),
  });
}

/** What the flags of an environment wait for. */
export async function readGraph(
  db: Queryable,
  projectId: string,
  environmentId: string,
): Promise<Map<string, readonly string[]>> {
  const configs = await listConfigsWithPrerequisites(db, projectId, environmentId);
  return new Map(
    configs.map((config) => [config.flagKey, config.prerequisites.map(({ flag_key }) => flag_key)]),
  );
}

import type { Tx } from '../../storage/database.ts';
import type { Plan } from './gate.ts';

/**
 * The environments in which it shows that somebody changes what all of a project share, whether or not anybody is
 * served otherwise (decision 0153). What is new takes nothing from anybody.
 */
export async function environmentsShowing(
  tx: Tx,
  { resource, before, isLocal, isNothing }: Plan<unknown>,
): Promise<readonly string[]> {
  const { projectId, projectWide } = resource;
  if (projectWide !== true || projectId == null || before === null || isLocal || isNothing) return [];
  const rows = await tx.selectFrom('environments').select('id').where('project_id', '=', projectId).execute();
  return rows.map(({ id }) => id);
}

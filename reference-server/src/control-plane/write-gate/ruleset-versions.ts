import type { Tx } from '../../storage/database.ts';
import { newEpoch } from '../../storage/ids.ts';

/** Gives a new environment its ruleset row, at version 1 of a new epoch. */
export async function startRuleset(
  tx: Tx,
  environment: { readonly id: string; readonly organizationId: string },
  at: string,
): Promise<void> {
  await tx
    .insertInto('rulesets')
    .values({
      organization_id: environment.organizationId,
      environment_id: environment.id,
      epoch: newEpoch(),
      version: 1,
      etag: null,
      updated_at: at,
    })
    .execute();
}

/** Raises the version of each environment's ruleset by one; returns the new versions by environment id. */
export async function bumpRulesets(
  tx: Tx,
  environmentIds: readonly string[],
  at: string,
): Promise<Record<string, number>> {
  if (environmentIds.length === 0) return {};
  const rows = await tx
    .updateTable('rulesets')
    .set((eb) => ({ version: eb('version', '+', 1), updated_at: at }))
    .where('environment_id', 'in', environmentIds)
    .returning(['environment_id', 'version'])
    .execute();
  return Object.fromEntries(rows.map((row) => [row.environment_id, row.version]));
}

import type { Tx } from '../../../storage/database.ts';
import type { EnvironmentTable } from '../../../storage/tables.ts';
import { startRuleset } from '../../write-gate/ruleset-versions.ts';
import { type EnvironmentRecord, toRecord } from './environment-state.ts';
import { insertEnvironment } from './environment-store.ts';

/**
 * Inserts an environment and the first version of its ruleset. Its flags are switched off, or configured as in the
 * environment `copyOf`.
 */
export async function addEnvironment(
  tx: Tx,
  row: EnvironmentTable,
  copyOf?: string,
): Promise<EnvironmentRecord> {
  await insertEnvironment(tx, row, copyOf);
  await startRuleset(tx, { id: row.id, organizationId: row.organization_id }, row.created_at);
  return toRecord({ ...row, ruleset_version: 1, etag: null });
}

export type AddEnvironment = typeof addEnvironment;

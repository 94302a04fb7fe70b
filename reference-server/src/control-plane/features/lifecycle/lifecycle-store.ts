import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ReservedKeyTable } from '../../../storage/flag-tables.ts';

/** Deletes a flag with its configurations and revisions, but not its audit entries. */
export async function deleteFlag(tx: Tx, flagId: string): Promise<void> {
  await tx.deleteFrom('flags').where('id', '=', flagId).execute();
}

export async function reserveKey(tx: Tx, row: ReservedKeyTable): Promise<void> {
  const { reserved_until, reserved_at, flag_id } = row;
  await tx
    .insertInto('reserved_keys')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'key']).doUpdateSet({ reserved_until, reserved_at, flag_id }),
    )
    .execute();
}

/** The keys that are reserved at a time, in alphabetical order. */
export async function listReservedKeys(
  db: Queryable,
  projectId: string,
  at: string,
): Promise<readonly ReservedKeyTable[]> {
  return db
    .selectFrom('reserved_keys')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('reserved_until', '>', at)
    .orderBy('key')
    .execute();
}

export async function releaseKey(tx: Tx, projectId: string, key: string): Promise<void> {
  await tx.deleteFrom('reserved_keys').where('project_id', '=', projectId).where('key', '=', key).execute();
}

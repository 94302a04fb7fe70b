import { sql } from 'kysely';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { SdkSeenTable } from '../../../storage/tables.ts';
import { writeExclusively } from '../../../storage/transactions.ts';

/** Rows of an environment; those that were not seen for the longest time are deleted. */
const ROWS_MAX = 100;

/** Adds requests of one SDK. */
export async function addSeenSdk(db: Database, row: SdkSeenTable): Promise<void> {
  const { environment_id: environmentId } = row;
  await writeExclusively(db, `SDKs of ${environmentId}`, async (tx) => {
    await tx
      .insertInto('sdks_seen')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['environment_id', 'key_id', 'name', 'version']).doUpdateSet({
          last_seen_at: row.last_seen_at,
          requests: sql`sdks_seen.requests + ${row.requests}`,
        }),
      )
      .execute();
    const own = tx.selectFrom('sdks_seen').where('environment_id', '=', environmentId);
    const oldest = await own
      .select(['key_id', 'name', 'version'])
      .orderBy('last_seen_at', 'desc')
      .limit(10)
      .offset(ROWS_MAX)
      .execute();
    for (const { key_id, name, version } of oldest) {
      await tx
        .deleteFrom('sdks_seen')
        .where('environment_id', '=', environmentId)
        .where('key_id', '=', key_id)
        .where('name', '=', name)
        .where('version', '=', version)
        .execute();
    }
  });
}

/** The SDKs of an environment, last seen first. The key is null after it was deleted. */
export async function listSeenSdks(db: Queryable, organizationId: string, environmentId: string) {
  return db
    .selectFrom('sdks_seen')
    .leftJoin('api_keys', 'api_keys.id', 'sdks_seen.key_id')
    .select(['sdks_seen.name', 'version', 'first_seen_at', 'last_seen_at', 'requests', 'key_id'])
    .select(['api_keys.name as key_name', 'api_keys.prefix', 'api_keys.kind'])
    .where('sdks_seen.organization_id', '=', organizationId)
    .where('sdks_seen.environment_id', '=', environmentId)
    .orderBy('last_seen_at', 'desc')
    .orderBy('key_id')
    .orderBy('sdks_seen.name')
    .orderBy('version')
    .execute();
}

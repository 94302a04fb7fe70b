import { sql } from 'kysely';
import type { Database, Queryable, Tx } from '../../../storage/database.ts';
import type { SdkSeenTable } from '../../../storage/event-tables.ts';
import { writeExclusively } from '../../../storage/transactions.ts';

/** Rows of an environment, and of one key; those that were not seen for the longest time are deleted. */
const ROWS_MAX = 100;
/** Every visitor can read a page's key and send invented versions, which must not displace the SDKs of other keys. */
const ROWS_OF_KEY_MAX = 20;

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
    await keepNewest(tx, row, { ofKey: true, max: ROWS_OF_KEY_MAX });
    await keepNewest(tx, row, { ofKey: false, max: ROWS_MAX });
  });
}

/** Deletes the rows of the environment, or of the key, beyond `max`. */
async function keepNewest(
  tx: Tx,
  { environment_id, key_id }: SdkSeenTable,
  { ofKey, max }: { readonly ofKey: boolean; readonly max: number },
): Promise<void> {
  const oldest = await tx
    .selectFrom('sdks_seen')
    .select(['key_id', 'name', 'version'])
    .where('environment_id', '=', environment_id)
    .$if(ofKey, (rows) => rows.where('key_id', '=', key_id))
    .orderBy('last_seen_at', 'desc')
    .limit(10)
    .offset(max)
    .execute();
  for (const row of oldest) {
    await tx
      .deleteFrom('sdks_seen')
      .where('environment_id', '=', environment_id)
      .where('key_id', '=', row.key_id)
      .where('name', '=', row.name)
      .where('version', '=', row.version)
      .execute();
  }
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

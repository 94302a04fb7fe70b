import { DAY_MS } from '../../../lib/durations.ts';
import type { Queryable, Tx } from '../../../storage/database.ts';
import type { ApiKeyTable } from '../../../storage/tables.ts';

/** A key with the type of its environment. The type decides who may manage the key. */
export interface ApiKeyRow extends ApiKeyTable {
  readonly environment_type: string;
}

/** Keys of environments that are not archived, in projects that are not archived. */
function apiKeys(db: Queryable) {
  return db
    .selectFrom('api_keys')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .selectAll('api_keys')
    .select('environments.type as environment_type')
    .where('projects.archived_at', 'is', null)
    .where('environments.archived_at', 'is', null);
}

const apiKeysOf = (db: Queryable, organizationId: string) =>
  apiKeys(db).where('api_keys.organization_id', '=', organizationId);

/** Finds an API key by its id; undefined for unknown and revoked keys. */
export async function findApiKey(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return apiKeysOf(db, organizationId)
    .where('api_keys.id', '=', id)
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** The API keys of an environment, newest first, including revoked ones. */
export async function listApiKeys(
  db: Queryable,
  organizationId: string,
  environmentId: string,
): Promise<readonly ApiKeyRow[]> {
  return apiKeysOf(db, organizationId)
    .where('api_keys.environment_id', '=', environmentId)
    .orderBy('api_keys.id', 'desc')
    .execute();
}

/** An active key that has not been used for 30 days. */
export interface UnusedKey {
  readonly id: string;
  readonly name: string;
  readonly environment: { readonly id: string; readonly key: string };
  readonly last_used_at: string | null;
}

const UNUSED_MS = 30 * DAY_MS;
/** Maximum number of keys in one report. */
const UNUSED_MAX = 100;

/** The project's active keys that were not used for 30 days: never-used ones first, then least recently used; at most 100. */
export async function listUnusedKeys(
  db: Queryable,
  of: { readonly organizationId: string; readonly projectId: string; readonly withProduction: boolean },
  now: number,
): Promise<readonly UnusedKey[]> {
  const { organizationId, projectId, withProduction } = of;
  const before = new Date(now - UNUSED_MS).toISOString();
  const rows = await apiKeysOf(db, organizationId)
    .$if(!withProduction, (keys) => keys.where('environments.type', '!=', 'production'))
    .select('environments.key as environment_key')
    .where('api_keys.project_id', '=', projectId)
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('api_keys.expires_at', 'is', null),
        eb('api_keys.expires_at', '>', new Date(now).toISOString()),
      ]),
    )
    .where('api_keys.created_at', '<=', before)
    .where((eb) =>
      eb.or([eb('api_keys.last_used_at', 'is', null), eb('api_keys.last_used_at', '<=', before)]),
    )
    .orderBy('api_keys.last_used_at', (order) => order.asc().nullsFirst())
    .orderBy('api_keys.id')
    .limit(UNUSED_MAX)
    .execute();
  return rows.map(({ id, name, environment_id, environment_key, last_used_at }) => ({
    id,
    name,
    environment: { id: environment_id, key: environment_key },
    last_used_at,
  }));
}

/**
 * Keys of all organizations that expire in the given interval, except those whose expiry webhooks have already been notified of.
 */
export async function listExpiringKeys(
  db: Queryable,
  { after, until }: { readonly after: string; readonly until: string },
): Promise<readonly ApiKeyRow[]> {
  return apiKeys(db)
    .where('api_keys.revoked_at', 'is', null)
    .where('api_keys.expires_at', '>', after)
    .where('api_keys.expires_at', '<=', until)
    .whereRef('api_keys.noticed_expiry', 'is distinct from', 'api_keys.expires_at')
    .execute();
}

/** Records that webhooks have been notified of the current expiry of a key. */
export async function markExpiryNotified(tx: Tx, { id, expires_at }: ApiKeyRow): Promise<void> {
  await tx.updateTable('api_keys').set({ noticed_expiry: expires_at }).where('id', '=', id).execute();
}

export async function insertApiKey(tx: Tx, row: ApiKeyTable): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
}

export async function updateApiKey(tx: Tx, row: ApiKeyTable): Promise<void> {
  const { id, name, expires_at, revoked_at, revision, hash, prefix, last_four } = row;
  const { previous_hash, previous_expires_at, allowed_origins_json, allowed_ips_json, rate_limits_json } =
    row;
  await tx
    .updateTable('api_keys')
    .set({ name, expires_at, revoked_at, revision, hash, prefix, last_four })
    .set({ previous_hash, previous_expires_at, allowed_origins_json, allowed_ips_json, rate_limits_json })
    .where('id', '=', id)
    .execute();
}

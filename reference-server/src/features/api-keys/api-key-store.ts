import type { Queryable, Tx } from '../../storage/database.ts';
import type { ApiKeyTable } from '../../storage/tables.ts';

/** A key with the type of its environment, which decides who may touch it. */
export interface ApiKeyRow extends ApiKeyTable {
  readonly environment_type: string;
}

function apiKeys(db: Queryable, organizationId: string) {
  return db
    .selectFrom('api_keys')
    .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .selectAll('api_keys')
    .select('environments.type as environment_type')
    .where('api_keys.organization_id', '=', organizationId)
    .where('projects.archived_at', 'is', null);
}

/** Undefined also when the key was revoked. */
export async function findApiKey(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ApiKeyRow | undefined> {
  return apiKeys(db, organizationId)
    .where('api_keys.id', '=', id)
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
}

/** The newest first, revoked ones too. */
export async function listApiKeys(
  db: Queryable,
  organizationId: string,
  environmentId: string,
): Promise<readonly ApiKeyRow[]> {
  return apiKeys(db, organizationId)
    .where('api_keys.environment_id', '=', environmentId)
    .orderBy('api_keys.id', 'desc')
    .execute();
}

export async function insertApiKey(tx: Tx, row: ApiKeyTable): Promise<void> {
  await tx.insertInto('api_keys').values(row).execute();
}

export async function updateApiKey(tx: Tx, row: ApiKeyTable): Promise<void> {
  const { id, name, expires_at, revoked_at, revision, hash, last_four } = row;
  const { previous_hash, previous_expires_at, allowed_origins_json, allowed_ips_json } = row;
  await tx
    .updateTable('api_keys')
    .set({ name, expires_at, revoked_at, revision, hash, last_four })
    .set({ previous_hash, previous_expires_at, allowed_origins_json, allowed_ips_json })
    .where('id', '=', id)
    .execute();
}

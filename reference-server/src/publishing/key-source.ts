import type { KeyKind } from '../data-plane/ports.ts';
import type { Database } from '../storage/database.ts';
import { writeExclusively } from '../storage/transactions.ts';
import type { KeySource } from './key-ring.ts';

/** The API keys in the database. */
export function createKeySource(db: Database): KeySource {
  return {
    async findByHash(hash) {
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.id', 'api_keys.project_id')
        .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
        .select([
          'api_keys.id',
          'api_keys.kind',
          'api_keys.environment_id',
          'api_keys.project_id',
          'api_keys.organization_id',
          'api_keys.expires_at',
          'api_keys.hash',
          'api_keys.previous_expires_at',
          'api_keys.allowed_origins_json',
          'api_keys.allowed_ips_json',
          'api_keys.rate_limits_json',
        ])
        .where((eb) => eb.or([eb('api_keys.hash', '=', hash), eb('api_keys.previous_hash', '=', hash)]))
        .where('api_keys.revoked_at', 'is', null)
        .where('projects.archived_at', 'is', null)
        .where('environments.archived_at', 'is', null)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        keyId: row.id,
        kind: row.kind as KeyKind,
        environmentId: row.environment_id,
        projectId: row.project_id,
        organizationId: row.organization_id,
        expiresAt: row.hash === hash ? row.expires_at : earlier(row.expires_at, row.previous_expires_at),
        ...(row.allowed_origins_json !== '[]' && { allowedOrigins: JSON.parse(row.allowed_origins_json) }),
        ...(row.allowed_ips_json !== '[]' && { allowedIps: JSON.parse(row.allowed_ips_json) }),
        ...(row.rate_limits_json !== '{}' && { rateLimits: JSON.parse(row.rate_limits_json) }),
      };
    },
    async isLive(keyId, at) {
      const row = await db
        .selectFrom('api_keys')
        .innerJoin('projects', 'projects.id', 'api_keys.project_id')
        .innerJoin('environments', 'environments.id', 'api_keys.environment_id')
        .select('api_keys.id')
        .where('api_keys.id', '=', keyId)
        .where('api_keys.revoked_at', 'is', null)
        .where('projects.archived_at', 'is', null)
        .where('environments.archived_at', 'is', null)
        .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', at)]))
        .executeTakeFirst();
      return row !== undefined;
    },
    async touch(uses) {
      await writeExclusively(db, 'uses of keys', async (tx) => {
        for (const { keyId, lastUsedAt } of uses) {
          await tx
            .updateTable('api_keys')
            .set({ last_used_at: lastUsedAt })
            .where('id', '=', keyId)
            .execute();
        }
      });
    },
  };
}

/** When a rotated key's old secret ends; without a grace period, it ended with the rotation. */
function earlier(expiresAt: string | null, graceEndsAt: string | null): string {
  const end = graceEndsAt ?? new Date(0).toISOString();
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
}

import { sql } from 'kysely';
import type { Database, Queryable } from '../../../storage/database.ts';
import { longReads } from '../../../storage/long-reads.ts';
import { textsOf } from '../../../storage/sql-dialect.ts';
import type { Actor } from '../../access/actor.ts';
import { hasPermission } from '../../access/permissions.ts';
import type { UnusedKey } from '../api-keys/api-key-store.ts';
import { STALE_REASONS, type StaleReason } from '../flags/flag-schemas.ts';
import type { RequireProject } from '../projects/require-project.ts';

/** How many flags of a project are stale, and which API keys are unused. */
export interface FlagHealth {
  readonly project_id: string;
  readonly by_status: Readonly<Record<'draft' | 'active' | 'stale' | 'archived', number>>;
  readonly by_reason: Readonly<Record<StaleReason, number>>;
  /** The share of active flags among active and stale flags, in percent; 100 if there are no such flags. */
  readonly health_score: number;
  /** Estimated bytes that stale flags take in the rulesets. */
  readonly stale_ruleset_bytes: number;
  readonly oldest: readonly { id: string; key: string; name: string; created_at: string }[];
  /** Null for an actor who cannot read API keys. */
  readonly unused_keys: readonly UnusedKey[] | null;
}

export interface FlagHealthService {
  read(actor: Actor, projectId: string): Promise<FlagHealth>;
}

export interface FlagHealthServiceDeps {
  readonly db: Database;
  readonly now: () => number;
  readonly requireProject: RequireProject;
  readonly listUnusedKeys: (
    db: Queryable,
    of: { readonly organizationId: string; readonly projectId: string; readonly withProduction: boolean },
    now: number,
  ) => Promise<readonly UnusedKey[]>;
}

export function createFlagHealthService(deps: FlagHealthServiceDeps): FlagHealthService {
  const { now, requireProject, listUnusedKeys } = deps;
  return {
    async read(actor, projectId) {
      const { organizationId } = actor;
      const db = longReads(deps.db);
      const withProduction = hasPermission(actor, 'api_key.write_production', projectId);
      await requireProject(db, organizationId, projectId);
      const { draft = 0, active = 0, stale = 0, archived = 0 } = await countByStatus(db, projectId);
      const reasons = await countByReason(db, projectId);
      const inUse = active + stale;
      return {
        project_id: projectId,
        by_status: { draft, active, stale, archived },
        by_reason: Object.fromEntries(
          STALE_REASONS.map((reason) => [reason, reasons[reason] ?? 0]),
        ) as FlagHealth['by_reason'],
        health_score: inUse === 0 ? 100 : Math.round((active / inUse) * 100),
        stale_ruleset_bytes: await staleBytes(db, projectId),
        oldest: await db
          .selectFrom('flags')
          .select(['id', 'key', 'name', 'created_at'])
          .where('project_id', '=', projectId)
          .where('status', '!=', 'archived')
          .where('permanent', '=', 0)
          .orderBy('created_at')
          .orderBy('id')
          .limit(10)
          .execute(),
        unused_keys: hasPermission(actor, 'api_key.read', projectId)
          ? await listUnusedKeys(db, { organizationId, projectId, withProduction }, now())
          : null,
      };
    },
  };
}

async function countByStatus(db: Queryable, projectId: string): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('flags')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .where('project_id', '=', projectId)
    .groupBy('status')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}

async function countByReason(db: Queryable, projectId: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ reason: string; count: number }>`
    select reasons.value as reason, count(*) as count
    from flags, ${textsOf('flags.stale_reasons_json')} as reasons
    where flags.project_id = ${projectId} and flags.status = 'stale' group by reasons.value`.execute(db);
  return Object.fromEntries(rows.map((row) => [row.reason, row.count]));
}

/** The size of the rows of stale flags, which is close to their size in the rulesets. */
async function staleBytes(db: Queryable, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('flags')
    .innerJoin('flag_environments', 'flag_environments.flag_id', 'flags.id')
    .select(
      sql<number | null>`sum(length(flags.key) + length(flags.variations_json)
        + length(flag_environments.rules_json) + length(flag_environments.prerequisites_json))`.as('bytes'),
    )
    .where('flags.project_id', '=', projectId)
    .where('flags.status', '=', 'stale')
    .executeTakeFirstOrThrow();
  return row.bytes ?? 0;
}

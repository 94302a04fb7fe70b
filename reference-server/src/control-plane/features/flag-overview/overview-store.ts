import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { caseless } from '../../../storage/sql-dialect.ts';
import type { StoredRule } from '../flags/flag-schemas.ts';
import type { LastFlag, OverviewOrder, OverviewSort } from './flag-cursor.ts';
import { CHANGED_AT, EVALUATED_AT, matchingFlags, type OverviewFilter } from './overview-filter.ts';
import { type Serving, summarizeServing } from './serving-state.ts';

/** Counting stops here, so that a total never takes long. A project can have 10,000 flags. */
export const TOTAL_MAX = 10_000;

export interface OverviewRange extends OverviewOrder {
  readonly limit: number;
  readonly offset: number;
  /** The last flag of the page before. */
  readonly after?: LastFlag | undefined;
}

const SORTS: Readonly<Record<OverviewSort, RawBuilder<string>>> = {
  name: caseless('flags.name'),
  key: sql<string>`flags.key`,
  created_at: sql<string>`flags.created_at`,
  updated_at: CHANGED_AT,
  last_evaluated_at: EVALUATED_AT,
};

/** Ids of the flags of a page with their sort values, and whether more follow. */
export async function listOverviewIds(
  db: Queryable,
  organizationId: string,
  { filter, range }: { readonly filter: OverviewFilter; readonly range: OverviewRange },
): Promise<{ readonly flags: readonly LastFlag[]; readonly hasMore: boolean }> {
  const sorted = matchingFlags(db, organizationId, filter).select([
    'flags.id',
    SORTS[range.sort].as('value'),
  ]);
  let query = db.selectFrom(sorted.as('listed')).select(['listed.id', 'listed.value']);
  const by = range.sort === 'name' ? caseless('listed.value') : sql.ref<string>('listed.value');
  if (range.after !== undefined) {
    const beyond = range.order === 'asc' ? sql`>` : sql`<`;
    query = query.where(sql<boolean>`(${by}, listed.id) ${beyond} (${range.after.value}, ${range.after.id})`);
  }
  const rows = await query
    .orderBy(by, range.order)
    .orderBy('listed.id', range.order)
    .limit(range.limit + 1)
    .offset(range.after === undefined ? range.offset : 0)
    .execute();
  return { flags: rows.slice(0, range.limit), hasMore: rows.length > range.limit };
}

/** The number of matching flags; `TOTAL_MAX` if there are that many or more. */
export async function countOverview(
  db: Queryable,
  organizationId: string,
  filter: OverviewFilter,
): Promise<number> {
  const some = matchingFlags(db, organizationId, filter).select('flags.id').limit(TOTAL_MAX).as('some');
  const { total } = await db
    .selectFrom(some)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export interface OverviewRow {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly flag_type: string;
  readonly status: string;
  readonly classification: string | null;
  readonly tags: readonly string[];
  readonly permanent: boolean;
  readonly owner: { readonly id: string; readonly email: string; readonly full_name: string | null } | null;
  readonly stale_reasons: readonly string[];
  readonly stale_since: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The part of each flag that its environments share. */
export async function readOverviewRows(
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OverviewRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('flags')
    .leftJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'flags.organization_id')
        .onRef('memberships.user_id', '=', 'flags.owner_id'),
    )
    .leftJoin('users', 'users.id', 'memberships.user_id')
    .select(['flags.id', 'flags.key', 'flags.name', 'flag_type', 'status', 'classification', 'permanent'])
    .select(['tags_json', 'stale_reasons_json', 'stale_since', 'flags.created_at', 'flags.updated_at'])
    .select(['users.id as owner_id', 'users.email', 'users.full_name'])
    .where('flags.organization_id', '=', organizationId)
    .where('flags.id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ owner_id, email, full_name, tags_json, stale_reasons_json, ...row }) => [
      row.id,
      {
        ...row,
        permanent: row.permanent === 1,
        tags: JSON.parse(tags_json) as string[],
        stale_reasons: JSON.parse(stale_reasons_json) as string[],
        owner: owner_id === null ? null : { id: owner_id, email: email!, full_name },
      },
    ]),
  );
}

/** A flag in one environment. */
export interface OverviewState extends Serving {
  readonly flag_id: string;
  readonly environment_id: string;
  readonly environment_key: string;
  readonly enabled: boolean;
  readonly rules_count: number;
  readonly prerequisites_count: number;
  readonly last_evaluated_at: string | null;
  readonly updated_at: string;
}

/** The flags in each environment of their project, by its position. */
export async function listOverviewStates(
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly OverviewState[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('flags')
    .innerJoin('flag_environments as own', 'own.flag_id', 'flags.id')
    .innerJoin('environments', 'environments.id', 'own.environment_id')
    .select(['own.flag_id', 'own.environment_id', 'environments.key', 'own.enabled', 'default_variation'])
    .select(['rules_json', 'prerequisites_json', 'own.updated_at', 'own.last_evaluated_at'])
    .where('flags.organization_id', '=', organizationId)
    .where('flags.id', 'in', ids)
    .where('environments.archived_at', 'is', null)
    .orderBy('environments.position')
    .orderBy('environments.id')
    .execute();
  return rows.map((row) => {
    const rules = JSON.parse(row.rules_json) as StoredRule[];
    const prerequisites = JSON.parse(row.prerequisites_json) as unknown[];
    const enabled = row.enabled === 1;
    return {
      flag_id: row.flag_id,
      environment_id: row.environment_id,
      environment_key: row.key,
      enabled,
      default_variation: row.default_variation,
      ...summarizeServing({
        enabled,
        defaultVariation: row.default_variation,
        rules,
        hasPrerequisites: prerequisites.length > 0,
      }),
      rules_count: rules.length,
      prerequisites_count: prerequisites.length,
      last_evaluated_at: row.last_evaluated_at,
      updated_at: row.updated_at,
    };
  });
}

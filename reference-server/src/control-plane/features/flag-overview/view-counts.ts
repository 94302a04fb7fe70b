import { sql } from 'kysely';
import type { Queryable } from '../../../storage/database.ts';
import { CHANGED_AT, matchingFlags, servesAs } from './overview-filter.ts';

/** How many flags each view of the flag list has. Archived flags are in none. */
export interface ViewCounts {
  readonly all: number;
  /** Flags that the caller owns. */
  readonly mine: number;
  readonly changed: number;
  readonly stale: number;
  readonly stale_mine: number;
  readonly kill_switches: number;
  readonly partly_rolled_out: number;
}

export async function countViews(
  db: Queryable,
  organizationId: string,
  {
    projectId,
    ownerId,
    changedSince,
  }: { readonly projectId: string; readonly ownerId: string | null; readonly changedSince: string },
): Promise<ViewCounts> {
  const countIf = (condition: ReturnType<typeof sql>) =>
    sql<number>`coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
  const isMine = sql`flags.owner_id = ${ownerId ?? ''}`;
  const row = await matchingFlags(db, organizationId, { projectId })
    .select((eb) => [
      eb.fn.countAll<number>().as('all'),
      countIf(isMine).as('mine'),
      countIf(sql`${CHANGED_AT} >= ${changedSince}`).as('changed'),
      countIf(sql`flags.status = 'stale'`).as('stale'),
      countIf(sql`flags.status = 'stale' and ${isMine}`).as('stale_mine'),
      countIf(sql`flags.classification = 'ops_killswitch'`).as('kill_switches'),
      countIf(servesAs(['share'])).as('partly_rolled_out'),
    ])
    .executeTakeFirstOrThrow();
  return row;
}

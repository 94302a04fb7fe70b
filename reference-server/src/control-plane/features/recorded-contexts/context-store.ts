import { createHash } from 'node:crypto';
import type { Context } from '@flagsvc/sdk-core';
import { sql } from 'kysely';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import { numberAt, rowsOf } from '../../../storage/json-rows.ts';
import { greater, perEngine } from '../../../storage/sql-dialect.ts';
import { writeExclusively } from '../../../storage/transactions.ts';

/** Size of the sample of one environment. */
export const CONTEXTS_MAX = 1_000;
const CONTEXT_RETENTION_MS = DAY_MS;

/** Locks the environment, so that recording cannot be switched off while contexts are inserted. */
const UNCHANGED = perEngine({ sqlite: sql``, postgres: sql` for share of environments` });

/** A redacted context. */
export interface RecordedContext {
  readonly json: string;
  /** The highest ranks stay in the sample. */
  readonly rank: number;
  /** ISO 8601 UTC. */
  readonly recordedAt: string;
}

/** An environment that records contexts. */
export interface Recording {
  readonly id: string;
  /** Revision of the environment, which differs after recording was switched off and on again. */
  readonly revision: number;
}

export async function listRecording(db: Queryable): Promise<readonly Recording[]> {
  return db
    .selectFrom('environments')
    .select(['id', 'revision'])
    .where('record_contexts', '=', 1)
    .orderBy('id')
    .execute();
}

/**
 * Adds contexts unless the environment has changed or stopped recording, and afterwards deletes old and surplus
 * contexts. Returns the lowest rank in a full sample; undefined while there is room.
 */
export function storeContexts(
  db: Database,
  { id: environmentId, revision }: Recording,
  { contexts, now }: { readonly contexts: readonly RecordedContext[]; readonly now: number },
): Promise<number | undefined> {
  return writeExclusively(db, `contexts of ${environmentId}`, async (tx) => {
    if (contexts.length > 0) {
      const rows = contexts.map(({ json, rank, recordedAt }) => [digestOf(json), rank, recordedAt, json]);
      await sql`
        insert into recorded_contexts (organization_id, environment_id, digest, rank, recorded_at, context_json)
        select environments.organization_id, environments.id, value ->> 0, ${numberAt(1)},
          value ->> 2, value ->> 3
        from ${rowsOf(rows)} as item, environments
        where environments.id = ${environmentId} and environments.revision = ${revision}
          and environments.record_contexts = 1${UNCHANGED}
        on conflict (environment_id, digest) do update
          set rank = ${greater(sql`recorded_contexts.rank`, sql`excluded.rank`)}, recorded_at = excluded.recorded_at`.execute(
        tx,
      );
    }
    const own = tx.deleteFrom('recorded_contexts').where('environment_id', '=', environmentId);
    await own.where('recorded_at', '<', oldest(now)).execute();
    const last = await tx
      .selectFrom('recorded_contexts')
      .select('rank')
      .where('environment_id', '=', environmentId)
      .orderBy('rank', 'desc')
      .offset(CONTEXTS_MAX - 1)
      .limit(1)
      .executeTakeFirst();
    if (last !== undefined) await own.where('rank', '<', last.rank).execute();
    return last?.rank;
  });
}

/** The sample of an environment; undefined when it does not record. */
export async function readContexts(
  db: Queryable,
  environmentId: string,
  now: number,
): Promise<readonly Context[] | undefined> {
  const rows = await db
    .selectFrom('environments')
    .leftJoin('recorded_contexts', (join) =>
      join
        .onRef('recorded_contexts.environment_id', '=', 'environments.id')
        .on('recorded_contexts.recorded_at', '>=', oldest(now)),
    )
    .select('recorded_contexts.context_json')
    .where('environments.id', '=', environmentId)
    .where('environments.record_contexts', '=', 1)
    .orderBy('recorded_contexts.rank', 'desc')
    .limit(CONTEXTS_MAX)
    .execute();
  if (rows.length === 0) return undefined;
  return rows.flatMap(({ context_json }) =>
    context_json === null ? [] : [JSON.parse(context_json) as Context],
  );
}

/** A recorded context, and when it was last recorded. */
export interface ListedContext {
  readonly recorded_at: string;
  readonly context: Context;
}

/** The sample of an environment, last recorded first; undefined when it does not record. */
export async function listRecordedContexts(
  db: Queryable,
  { organizationId, environmentId, now }: { organizationId: string; environmentId: string; now: number },
): Promise<readonly ListedContext[] | undefined> {
  const environment = await db
    .selectFrom('environments')
    .select('record_contexts')
    .where('organization_id', '=', organizationId)
    .where('id', '=', environmentId)
    .executeTakeFirst();
  if (environment?.record_contexts !== 1) return undefined;
  const rows = await db
    .selectFrom('recorded_contexts')
    .select(['recorded_at', 'context_json'])
    .where('environment_id', '=', environmentId)
    .where('recorded_at', '>=', oldest(now))
    .orderBy('recorded_at', 'desc')
    .orderBy('rank', 'desc')
    .limit(CONTEXTS_MAX)
    .execute();
  return rows.map((row) => ({
    recorded_at: row.recorded_at,
    context: JSON.parse(row.context_json) as Context,
  }));
}

/** Deletes contexts older than a day, in all environments. */
export async function purgeContexts(db: Queryable, now: number): Promise<void> {
  await db.deleteFrom('recorded_contexts').where('recorded_at', '<', oldest(now)).execute();
}

function oldest(now: number): string {
  return new Date(now - CONTEXT_RETENTION_MS).toISOString();
}

function digestOf(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, 32);
}

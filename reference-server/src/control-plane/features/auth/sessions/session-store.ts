import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { SessionTable } from '../../../../storage/people-tables.ts';
import {
  type CurrentRights,
  mustEnrollColumn,
  projectRolesColumn,
  toCurrentRights,
} from '../../users/current-rights.ts';

/** A session that can still be used, with its user and their current rights. */
export interface LiveSession {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  /** True when the organization requires a second factor and the user has none. */
  readonly mustEnroll: boolean;
  readonly rights: CurrentRights;
}

export async function insertSession(tx: Tx, session: SessionTable): Promise<void> {
  await tx.insertInto('sessions').values(session).execute();
}

/** Sessions that are neither revoked nor expired, of members who are not disabled. */
function liveSessions(db: Queryable, at: string) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'sessions.user_id')
        .onRef('memberships.organization_id', '=', 'sessions.organization_id'),
    )
    .select([
      'sessions.id',
      'sessions.organization_id',
      'sessions.user_id',
      'sessions.last_used_at',
      'sessions.expires_at',
      'users.email',
      'memberships.role',
      'memberships.environment_ids_json',
      projectRolesColumn,
      mustEnrollColumn,
    ])
    .where('sessions.revoked_at', 'is', null)
    .where('sessions.expires_at', '>', at)
    .where('users.disabled_at', 'is', null);
}

export async function findLiveSession(
  db: Queryable,
  sessionId: string,
  at: string,
): Promise<LiveSession | undefined> {
  const row = await liveSessions(db, at).where('sessions.id', '=', sessionId).executeTakeFirst();
  return row && toLiveSession(row);
}

export async function findLiveSessionByRefreshHash(
  db: Queryable,
  refreshHash: string,
  at: string,
): Promise<LiveSession | undefined> {
  const row = await liveSessions(db, at).where('sessions.refresh_hash', '=', refreshHash).executeTakeFirst();
  return row && toLiveSession(row);
}

type LiveRow = Awaited<ReturnType<ReturnType<typeof liveSessions>['executeTakeFirstOrThrow']>>;

function toLiveSession(row: LiveRow): LiveSession {
  return {
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id,
    email: row.email,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    mustEnroll: row.must_enroll === 1,
    rights: toCurrentRights(row),
  };
}

/** The session of a refresh token, even if it has ended. */
export async function findSessionByRefreshHash(db: Queryable, refreshHash: string) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select('users.email')
    .where('sessions.refresh_hash', '=', refreshHash)
    .executeTakeFirst();
}

/** The open sessions of a user, newest first. */
export async function listSessions(
  db: Queryable,
  userId: string,
  at: string,
): Promise<readonly SessionTable[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .orderBy('id', 'desc')
    .execute();
}

/** Ends sessions; their access tokens and refresh tokens stop working. */
export async function revokeSessions(tx: Tx, sessionIds: readonly string[], at: string): Promise<void> {
  if (sessionIds.length === 0) return;
  await tx.updateTable('sessions').set({ revoked_at: at }).where('id', 'in', sessionIds).execute();
}

/** Ends every session of a user. */
export async function endSessions(tx: Tx, userId: string, at: string): Promise<void> {
  const sessions = await listSessions(tx, userId, at);
  await revokeSessions(
    tx,
    sessions.map(({ id }) => id),
    at,
  );
}

/** Revokes all sessions and personal tokens of a user in one organization. */
export async function endAccess(
  tx: Tx,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  at: string,
): Promise<void> {
  for (const table of ['sessions', 'personal_tokens'] as const) {
    await tx
      .updateTable(table)
      .set({ revoked_at: at })
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .where('revoked_at', 'is', null)
      .execute();
  }
}

export async function touchSession(db: Queryable, sessionId: string, at: string): Promise<void> {
  await db.updateTable('sessions').set({ last_used_at: at }).where('id', '=', sessionId).execute();
}

export async function markAuthenticated(tx: Tx, sessionId: string, at: string): Promise<void> {
  await tx.updateTable('sessions').set({ authenticated_at: at }).where('id', '=', sessionId).execute();
}

/** When the password was last given in a session; undefined when the session has ended. */
export async function findAuthenticatedAt(db: Queryable, sessionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select('authenticated_at')
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row?.authenticated_at ?? undefined;
}

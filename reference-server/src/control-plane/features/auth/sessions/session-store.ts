import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { SessionTable } from '../../../../storage/people-tables.ts';
import {
  type CurrentRights,
  mustEnrollColumn,
  projectRolesColumn,
  toCurrentRights,
} from '../../users/current-rights.ts';

/** A session that may still be used, with its user and what the user may do as it is now. */
export interface LiveSession {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string;
  /** The organization requires a second factor, which the user has not. */
  readonly mustEnroll: boolean;
  readonly rights: CurrentRights;
}

export async function insertSession(tx: Tx, session: SessionTable): Promise<void> {
  await tx.insertInto('sessions').values(session).execute();
}

/** Neither revoked nor expired, of a user who is not disabled and still a member. */
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

/** The session that a refresh token once belonged to, whatever became of it. */
export async function findSessionByRefreshHash(db: Queryable, refreshHash: string) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select('users.email')
    .where('sessions.refresh_hash', '=', refreshHash)
    .executeTakeFirst();
}

/** The user's sessions that may still be used, the newest first. */
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

/** Ends sessions, and with each its access tokens and its refresh token. */
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

/** Ends for good what a user comes in by in one organization: sessions and personal tokens. */
export async function endAccess(tx: Tx, organizationId: string, userId: string, at: string): Promise<void> {
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

/** When the session's user last gave the password; undefined when there is no such session. */
export async function findAuthenticatedAt(db: Queryable, sessionId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select('authenticated_at')
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row?.authenticated_at ?? undefined;
}

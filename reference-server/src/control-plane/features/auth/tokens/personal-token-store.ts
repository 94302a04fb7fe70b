import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { PersonalTokenTable } from '../../../../storage/people-tables.ts';
import { mustEnrollColumn, projectRolesColumn } from '../../users/current-rights.ts';

export async function insertPersonalToken(tx: Tx, row: PersonalTokenTable): Promise<void> {
  await tx.insertInto('personal_tokens').values(row).execute();
}

/** The user's tokens that are not revoked, newest first. */
export async function listPersonalTokens(
  db: Queryable,
  organizationId: string,
  userId: string,
): Promise<readonly PersonalTokenTable[]> {
  return db
    .selectFrom('personal_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .execute();
}

export async function revokePersonalToken(tx: Tx, id: string, at: string): Promise<void> {
  await tx.updateTable('personal_tokens').set({ revoked_at: at }).where('id', '=', id).execute();
}

/** How many usable tokens a user has, in all organizations. */
export async function countPersonalTokens(db: Queryable, userId: string, at: string): Promise<number> {
  const { count } = await db
    .selectFrom('personal_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirstOrThrow();
  return count;
}

/** Revokes all tokens of a user, in all organizations. */
export async function revokePersonalTokens(tx: Tx, userId: string, at: string): Promise<void> {
  await tx
    .updateTable('personal_tokens')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}

export async function touchPersonalToken(db: Queryable, id: string, at: string): Promise<void> {
  await db.updateTable('personal_tokens').set({ last_used_at: at }).where('id', '=', id).execute();
}

/** Tokens that are neither revoked nor expired, of members who are not disabled, with the members' rights. */
function livePersonalTokens(db: Queryable, at: string) {
  return db
    .selectFrom('personal_tokens')
    .innerJoin('users', 'users.id', 'personal_tokens.user_id')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.user_id', '=', 'personal_tokens.user_id')
        .onRef('memberships.organization_id', '=', 'personal_tokens.organization_id'),
    )
    .selectAll('personal_tokens')
    .select(['users.email', 'memberships.role', 'memberships.environment_ids_json'])
    .select([projectRolesColumn, mustEnrollColumn])
    .where('personal_tokens.revoked_at', 'is', null)
    .where('personal_tokens.expires_at', '>', at)
    .where('users.disabled_at', 'is', null);
}

export async function findLivePersonalToken(db: Queryable, hash: string, at: string) {
  return livePersonalTokens(db, at).where('personal_tokens.hash', '=', hash).executeTakeFirst();
}

export async function findLivePersonalTokenById(db: Queryable, id: string, at: string) {
  return livePersonalTokens(db, at).where('personal_tokens.id', '=', id).executeTakeFirst();
}

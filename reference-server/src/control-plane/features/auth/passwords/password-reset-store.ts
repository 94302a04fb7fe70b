import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { PasswordResetTable, UserTable } from '../../../../storage/people-tables.ts';

/** The user of a reset token; undefined when it is unknown, used or expired, or the user is disabled. */
export async function findReset(
  db: Queryable,
  tokenHash: string,
  at: string,
): Promise<Pick<UserTable, 'id' | 'email' | 'full_name'> | undefined> {
  return db
    .selectFrom('password_resets')
    .innerJoin('users', 'users.id', 'password_resets.user_id')
    .select(['users.id', 'users.email', 'users.full_name'])
    .where('token_hash', '=', tokenHash)
    .where('password_resets.expires_at', '>', at)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
}

/** Replaces open resets of the user, so that only the newest email works. */
export async function putReset(tx: Tx, row: PasswordResetTable): Promise<void> {
  await removeResets(tx, row.user_id);
  await tx.insertInto('password_resets').values(row).execute();
}

/** Sets the password and voids open resets. */
export async function setPassword(tx: Tx, userId: string, password_hash: string): Promise<void> {
  await tx.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
  await removeResets(tx, userId);
}

async function removeResets(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('password_resets').where('user_id', '=', userId).execute();
}

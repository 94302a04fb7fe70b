import type { Queryable, Tx } from '../../../../storage/database.ts';
import { firstIdAt } from '../../../../storage/ids.ts';
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

/**
 * How often a reset of the user was requested since `since` (milliseconds since 1970), by the audit log: that counts for
 * all nodes, survives restarts and takes no memory.
 */
export async function countResetRequests(
  db: Queryable,
  of: { readonly organizationId: string; readonly userId: string; readonly since: number },
): Promise<number> {
  const { count } = await db
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization_id', '=', of.organizationId)
    .where('resource_id', '=', of.userId)
    .where('id', '>=', firstIdAt('evt', Math.max(0, of.since)))
    .where('action', '=', 'auth.password_reset_requested')
    .executeTakeFirstOrThrow();
  return count;
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

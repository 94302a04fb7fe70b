import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { TotpFactorTable } from '../../../../storage/people-tables.ts';

/** Whether the user has a confirmed second factor. */
export async function hasConfirmedFactor(db: Queryable, userId: string): Promise<boolean> {
  return (await findFactor(db, userId))?.confirmed_at != null;
}

export async function findFactor(db: Queryable, userId: string): Promise<TotpFactorTable | undefined> {
  return db.selectFrom('totp_factors').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

/** Replaces the user's factor, if any. */
export async function putFactor(tx: Tx, row: TotpFactorTable): Promise<void> {
  const { user_id: _, ...columns } = row;
  await tx
    .insertInto('totp_factors')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(columns))
    .execute();
}

export async function confirmFactor(tx: Tx, userId: string, at: string): Promise<void> {
  await tx.updateTable('totp_factors').set({ confirmed_at: at }).where('user_id', '=', userId).execute();
}

export async function removeFactor(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  await tx.deleteFrom('totp_factors').where('user_id', '=', userId).execute();
}

/** Replaces all recovery codes of the user. */
export async function putRecoveryCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }));
  await tx.insertInto('recovery_codes').values(rows).execute();
}

/** Deletes the recovery code with this hash; false when there is none. */
export async function takeRecoveryCode(tx: Tx, userId: string, hash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function countRecoveryCodes(db: Queryable, userId: string): Promise<number> {
  const row = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return row.total;
}

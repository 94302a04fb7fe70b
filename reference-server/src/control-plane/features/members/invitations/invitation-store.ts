import type { Queryable, Tx } from '../../../../storage/database.ts';
import type { InvitationTable } from '../../../../storage/people-tables.ts';

/** Invitations that are neither accepted nor revoked, including expired ones. */
function open(db: Queryable) {
  return db
    .selectFrom('invitations')
    .selectAll()
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null);
}

export async function listOpenInvitations(
  db: Queryable,
  organizationId: string,
): Promise<readonly InvitationTable[]> {
  return open(db).where('organization_id', '=', organizationId).orderBy('id', 'desc').execute();
}

export async function findInvitation(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<InvitationTable | undefined> {
  return open(db).where('organization_id', '=', organizationId).where('id', '=', id).executeTakeFirst();
}

/** The open invitation of a token; expired invitations are left out. */
export async function findOpenInvitation(
  db: Queryable,
  tokenHash: string,
  at: string,
): Promise<InvitationTable | undefined> {
  return open(db).where('token_hash', '=', tokenHash).where('expires_at', '>', at).executeTakeFirst();
}

export async function insertInvitation(tx: Tx, row: InvitationTable): Promise<void> {
  await tx.insertInto('invitations').values(row).execute();
}

export async function updateInvitation(tx: Tx, row: InvitationTable): Promise<void> {
  const { id, token_hash, expires_at, accepted_at, revoked_at, revision } = row;
  await tx
    .updateTable('invitations')
    .set({ token_hash, expires_at, accepted_at, revoked_at, revision })
    .where('id', '=', id)
    .execute();
}

import type { Queryable, Tx } from '../../../storage/database.ts';
import type { InvitationTable } from '../../../storage/people-tables.ts';
import type { Role } from '../../access/roles.ts';

/** Neither accepted nor withdrawn; perhaps expired. */
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

/** By its token, unless it has expired. */
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

/** The roles in projects that come with the membership. */
export function rolesOf(
  row: InvitationTable,
): readonly { readonly project_id: string; readonly role: Role }[] {
  return JSON.parse(row.project_roles_json) as { project_id: string; role: Role }[];
}

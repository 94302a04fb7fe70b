import { ApiError } from '../../../../http/errors.ts';
import type { Database } from '../../../../storage/database.ts';
import type { Role } from '../../../access/roles.ts';
import { createSecretHash } from '../../auth/tokens/secret-tokens.ts';
import type * as UserStore from '../../users/user-store.ts';
import { findOpenInvitation } from './invitation-store.ts';

/** What the owner of a token learns before accepting. */
export interface InvitationOutlook {
  readonly organization_name: string;
  readonly email: string;
  readonly role: Role;
  /** Null when the account of the person who invited is gone. */
  readonly invited_by: string | null;
  readonly expires_at: string;
  /** True: accepting needs no password. */
  readonly has_account: boolean;
}

/** Throws INVALID_INVITATION. */
export type InspectInvitation = (token: string) => Promise<InvitationOutlook>;

export interface InspectInvitationDeps {
  readonly db: Database;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly users: typeof UserStore;
}

export function createInspectInvitation(deps: InspectInvitationDeps): InspectInvitation {
  const { db, now, users } = deps;
  const hash = createSecretHash(deps.apiSecretKey);

  return async (token) => {
    const invitation = await findOpenInvitation(db, hash(token), new Date(now()).toISOString());
    if (invitation === undefined) throw new ApiError('INVALID_INVITATION');
    const { organization_id: id, email, invited_by: inviterId, expires_at } = invitation;
    const { name } = await db
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const inviter = inviterId === null ? undefined : await users.findUserById(db, inviterId);
    return {
      organization_name: name,
      email,
      role: invitation.role as Role,
      invited_by: inviter === undefined ? null : (inviter.full_name ?? inviter.email),
      expires_at,
      has_account: (await users.findUserByEmail(db, email)) !== undefined,
    };
  };
}

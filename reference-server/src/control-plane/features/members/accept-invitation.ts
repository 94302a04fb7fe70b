import { ApiError, invalid } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { InvitationTable, UserTable } from '../../../storage/people-tables.ts';
import type { Role } from '../../access/roles.ts';
import { toUserRecord } from '../auth/auth-service.ts';
import { hashPassword } from '../auth/passwords/password-hash.ts';
import { createSecretHash } from '../auth/tokens/secret-tokens.ts';
import { userActor, VIEWER_RIGHTS } from '../users/current-rights.ts';
import type { InvitationDeps, InvitationService } from './invitation-service.ts';
import { findOpenInvitation, rolesOf, updateInvitation } from './invitation-store.ts';
import { setProjectRole } from './member-store.ts';

/** Makes a member of whoever has the token of an invitation; once. */
export function createAcceptance(deps: InvitationDeps): InvitationService['accept'] {
  const { db, gate, newId, now, users } = deps;
  const hash = createSecretHash(deps.apiSecretKey);
  const timestamp = (): string => new Date(now()).toISOString();

  return async ({ token, password, full_name }, origin) => {
    const first = await findOpenInvitation(db, hash(token), timestamp());
    if (first === undefined) throw new ApiError('INVALID_INVITATION');
    const existing = await users.findUserByEmail(db, first.email);
    requireOpen(deps, existing);
    if (existing === undefined && password === undefined) {
      throw invalid({ field: 'password', location: 'body', code: 'required', message: 'is required' });
    }
    if (existing === undefined && password !== undefined) {
      await deps.passwordPolicy.require(password, { email: first.email, fullName: full_name });
    }
    const password_hash = password === undefined ? '' : await hashPassword(password);
    const { organization_id: organizationId, email } = first;
    const id = existing?.id ?? newId('usr');
    return gate.applyChange(userActor({ id, email, organizationId }, VIEWER_RIGHTS, origin), {
      action: 'member.joined',
      permission: 'anyone',
      async plan(tx, at) {
        const invitation = await findOpenInvitation(tx, hash(token), at);
        const user = await users.findUserByEmail(tx, email);
        // Of two that come at once, one finds it used.
        if (invitation === undefined || user?.id !== existing?.id) throw new ApiError('INVALID_INVITATION');
        // Whoever registered with the e-mail has not shown that it is theirs, so the role is not raised here.
        if (await users.isMember(tx, organizationId, id)) throw new ApiError('MEMBER_EXISTS');
        const role = invitation.role as Role;
        const row: UserTable = user ?? newUser({ id, email, full_name, password_hash, at });
        return {
          resource: { type: 'user', id, key: email },
          before: null,
          after: { email, full_name: row.full_name ?? '', role },
          async write() {
            await updateInvitation(tx, { ...invitation, accepted_at: at });
            if (user === undefined) await users.insertUser(tx, row);
            await users.insertMembership(tx, { organizationId, userId: id, role, source: 'invite', at });
            for (const one of await livingRoles(tx, invitation)) {
              const address = { organizationId, projectId: one.project_id, userId: id };
              await setProjectRole(tx, address, one.role, at);
            }
            return toUserRecord(row, role);
          },
        };
      },
    });
  };
}

/** Throws REGISTRATION_CLOSED for whoever has no account yet, where nobody may get one. */
export function requireOpen({ registration }: Pick<InvitationDeps, 'registration'>, user: unknown): void {
  if (registration === 'closed' && user === undefined) throw new ApiError('REGISTRATION_CLOSED');
}

/** The roles in those projects that are still there. */
async function livingRoles(tx: Tx, invitation: InvitationTable) {
  const roles = rolesOf(invitation);
  if (roles.length === 0) return roles;
  const ids = roles.map((one) => one.project_id);
  const rows = await tx
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', invitation.organization_id)
    .where('id', 'in', ids)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  return roles.filter((one) => known.has(one.project_id));
}

function newUser(of: {
  readonly id: string;
  readonly email: string;
  readonly full_name: string | undefined;
  readonly password_hash: string;
  readonly at: string;
}): UserTable {
  return {
    id: of.id,
    email: of.email,
    email_folded: of.email.normalize('NFC').toLowerCase(),
    full_name: of.full_name ?? null,
    password_hash: of.password_hash,
    created_at: of.at,
    last_login_at: null,
    disabled_at: null,
  };
}

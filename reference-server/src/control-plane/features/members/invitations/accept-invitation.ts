import { ApiError, invalid } from '../../../../http/errors.ts';
import type { RegistrationMode } from '../../../../lib/deployment-modes.ts';
import type { Database, Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { InvitationTable, UserTable } from '../../../../storage/people-tables.ts';
import type { Origin } from '../../../access/actor.ts';
import type { Role } from '../../../access/roles.ts';
import type { Plan, WriteGate } from '../../../write-gate/change.ts';
import { hashPassword } from '../../auth/passwords/password-hash.ts';
import type { PasswordPolicy } from '../../auth/passwords/password-policy.ts';
import { createSecretHash } from '../../auth/tokens/secret-tokens.ts';
import { userActor, VIEWER_RIGHTS } from '../../users/current-rights.ts';
import { toUserRecord, type UserRecord } from '../../users/user-record.ts';
import type * as UserStore from '../../users/user-store.ts';
import { setProjectRole } from '../member-store.ts';
import { projectRolesOf } from './invitation-record.ts';
import { findOpenInvitation, updateInvitation } from './invitation-store.ts';
import { requireOpenFor } from './require-open.ts';

export interface Acceptance {
  readonly token: string;
  /** Required for a new user; ignored for an existing one. */
  readonly password?: string | undefined;
  readonly full_name?: string | undefined;
}

/** Makes the owner of an invitation token a member, once. Throws INVALID_INVITATION, MEMBER_EXISTS, REGISTRATION_CLOSED. */
export type AcceptInvitation = (input: Acceptance, origin: Origin) => Promise<UserRecord>;

export interface AcceptInvitationDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly registration: RegistrationMode;
  readonly passwordPolicy: PasswordPolicy;
  readonly users: typeof UserStore;
}

export function createAcceptInvitation(deps: AcceptInvitationDeps): AcceptInvitation {
  const { db, gate, newId, now, users, registration, passwordPolicy } = deps;
  const hash = createSecretHash(deps.apiSecretKey);

  return async ({ token, password, full_name }, origin) => {
    const tokenHash = hash(token);
    const invitation = await findOpenInvitation(db, tokenHash, new Date(now()).toISOString());
    if (invitation === undefined) throw new ApiError('INVALID_INVITATION');
    const { organization_id: organizationId, email } = invitation;
    const existing = await users.findUserByEmail(db, email);
    requireOpenFor(existing, registration);
    if (existing === undefined && password === undefined) {
      throw invalid({ field: 'password', location: 'body', code: 'required', message: 'is required' });
    }
    if (existing === undefined && password !== undefined) {
      await passwordPolicy.require(password, { email, fullName: full_name });
    }
    const password_hash = password === undefined ? '' : await hashPassword(password);
    const id = existing?.id ?? newId('usr');
    const actor = userActor({ user: { id, email, organizationId }, rights: VIEWER_RIGHTS, origin });
    return gate.applyChange(actor, {
      action: 'member.joined',
      permission: 'anyone',
      async plan(tx, at) {
        const current = await findOpenInvitation(tx, tokenHash, at);
        const user = await users.findUserByEmail(tx, email);
        // Two requests with one token may race; the second one then finds the token used.
        if (current === undefined || user?.id !== existing?.id) throw new ApiError('INVALID_INVITATION');
        // A member may have registered with an email that is not theirs, so the invitation does not raise their role.
        if (await users.isMember(tx, organizationId, id)) throw new ApiError('MEMBER_EXISTS');
        const newUser = { id, email, email_folded: users.foldEmail(email), full_name: full_name ?? null };
        const row: UserTable = user ?? {
          ...newUser,
          password_hash,
          created_at: at,
          last_login_at: null,
          disabled_at: null,
        };
        return planMembership(tx, users, { invitation: current, row, isNewUser: user === undefined, at });
      },
    });
  };
}

function planMembership(
  tx: Tx,
  users: typeof UserStore,
  of: {
    readonly invitation: InvitationTable;
    readonly row: UserTable;
    readonly isNewUser: boolean;
    readonly at: string;
  },
): Plan<UserRecord> {
  const { invitation, row, isNewUser, at } = of;
  const { organization_id: organizationId } = invitation;
  const role = invitation.role as Role;
  return {
    resource: { type: 'user', id: row.id, key: row.email },
    before: null,
    after: { email: row.email, full_name: row.full_name ?? '', role },
    async write() {
      await updateInvitation(tx, { ...invitation, accepted_at: at });
      if (isNewUser) await users.insertUser(tx, row);
      await users.insertMembership(tx, { organizationId, userId: row.id, role, source: 'invite', at });
      for (const granted of await existingProjectRoles(tx, invitation)) {
        const address = { organizationId, projectId: granted.project_id, userId: row.id };
        await setProjectRole(tx, address, { role: granted.role, at });
      }
      return toUserRecord(row, role);
    },
  };
}

/** The invitation's project roles, without those of deleted projects. */
async function existingProjectRoles(tx: Tx, invitation: InvitationTable) {
  const roles = projectRolesOf(invitation);
  if (roles.length === 0) return roles;
  const rows = await tx
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', invitation.organization_id)
    .where(
      'id',
      'in',
      roles.map((one) => one.project_id),
    )
    .execute();
  const existing = new Set(rows.map(({ id }) => id));
  return roles.filter((one) => existing.has(one.project_id));
}

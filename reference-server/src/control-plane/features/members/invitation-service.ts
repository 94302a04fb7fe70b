import { ApiError, limitExceeded } from '../../../http/errors.ts';
import type { RegistrationMode } from '../../../lib/deployment-modes.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Database, Queryable } from '../../../storage/database.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { InvitationTable } from '../../../storage/people-tables.ts';
import type { Actor, Origin } from '../../access/actor.ts';
import { requireGrantable } from '../../access/permissions.ts';
import type { Role } from '../../access/roles.ts';
import type { Mail, Mailer } from '../../mail/mailer.ts';
import type { ChangeOptions, WriteGate } from '../../write-gate/change.ts';
import { type PeopleSettings, requireAllowedDomain, type UserRecord } from '../auth/auth-service.ts';
import type { PasswordPolicy } from '../auth/passwords/password-policy.ts';
import { createSecretHash, newSecret } from '../auth/tokens/secret-tokens.ts';
import type { RequireProject } from '../projects/require-project.ts';
import type * as UserStore from '../users/user-store.ts';
import { createAcceptance, requireOpen } from './accept-invitation.ts';
import {
  findInvitation,
  insertInvitation,
  listOpenInvitations,
  rolesOf,
  updateInvitation,
} from './invitation-store.ts';
import { findMemberByEmail } from './member-store.ts';

/** An invitation as the API shows it. */
export interface InvitationRecord {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly project_roles: readonly ProjectRole[];
  readonly status: 'pending' | 'expired';
  readonly invited_by: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly revision: number;
  /** Where it is accepted: only in the answer that made or renewed it. */
  readonly accept_url?: string;
}

export interface ProjectRole {
  readonly project_id: string;
  readonly role: Role;
}

export interface NewInvitation {
  readonly email: string;
  readonly role: Role;
  readonly project_roles?: readonly ProjectRole[] | undefined;
}

/** Invitations: bound to an e-mail, good once and for 7 days. */
export interface InvitationService {
  /** Neither accepted nor withdrawn, the newest first. */
  list(actor: Actor, organizationId: string): Promise<readonly InvitationRecord[]>;
  create(
    actor: Actor,
    organizationId: string,
    input: NewInvitation,
    options: ChangeOptions,
  ): Promise<InvitationRecord>;
  /** A new token and a new term; the old token is of no use from then on. */
  resend(actor: Actor, address: InvitationAddress, options: ChangeOptions): Promise<InvitationRecord>;
  revoke(actor: Actor, address: InvitationAddress, options: ChangeOptions): Promise<void>;
  /** Whoever has the token becomes a member; a password is needed unless the user exists. */
  accept(
    input: { token: string; password?: string | undefined; full_name?: string | undefined },
    origin: Origin,
  ): Promise<UserRecord>;
}

interface InvitationAddress {
  readonly organizationId: string;
  readonly invitationId: string;
}

export interface InvitationDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  readonly users: typeof UserStore;
  readonly mailer: Mailer;
  /** Address of the dashboard, without a slash at its end. */
  readonly dashboardUrl: string;
  /** `closed`: nobody new, not by invitation either. */
  readonly registration: RegistrationMode;
  readonly passwordPolicy: PasswordPolicy;
  readonly peopleOf: (db: Queryable, organizationId: string) => Promise<PeopleSettings>;
  readonly requireProject: RequireProject;
}

const LIFE_MS = 7 * DAY_MS;
const PENDING_MAX = 50;

export function createInvitationService(deps: InvitationDeps): InvitationService {
  const { db, gate, newId, now, users, mailer, requireProject } = deps;
  const hash = createSecretHash(deps.apiSecretKey);
  const timestamp = (): string => new Date(now()).toISOString();

  /** What a new or renewed invitation has in common: a token, its end, the address, and the message. */
  function issue(at: string) {
    const token = newSecret('invt_');
    return {
      accept_url: `${deps.dashboardUrl}/accept-invitation#token=${token}`,
      columns: {
        token_hash: hash(token),
        expires_at: new Date(Date.parse(at) + LIFE_MS).toISOString(),
      },
    };
  }

  async function announce(record: InvitationRecord): Promise<InvitationRecord> {
    const { email, accept_url } = record;
    if (accept_url !== undefined) mailer.enqueue(async () => [invitationMail(email, accept_url)]);
    return record;
  }

  async function requireInvitation(queryable: Queryable, actor: Actor, address: InvitationAddress) {
    if (address.organizationId !== actor.organizationId) throw new ApiError('ORGANIZATION_NOT_FOUND');
    const row = await findInvitation(queryable, actor.organizationId, address.invitationId);
    if (row === undefined) throw new ApiError('INVITATION_NOT_FOUND');
    return row;
  }

  return {
    async list(actor, organizationId) {
      if (organizationId !== actor.organizationId) throw new ApiError('ORGANIZATION_NOT_FOUND');
      const rows = await listOpenInvitations(db, organizationId);
      return rows.map((row) => toRecord(row, timestamp()));
    },

    create: async (actor, organizationId, input, options) =>
      announce(
        await gate.applyChange<InvitationRecord>(
          actor,
          {
            action: 'member.invited',
            permission: 'invitation.write',
            async plan(tx, at) {
              if (organizationId !== actor.organizationId) throw new ApiError('ORGANIZATION_NOT_FOUND');
              const projectRoles = input.project_roles ?? [];
              for (const role of [input.role, ...projectRoles.map((one) => one.role)])
                requireGrantable(actor, role);
              for (const { project_id } of projectRoles) await requireProject(tx, organizationId, project_id);
              requireAllowedDomain(input.email, await deps.peopleOf(tx, organizationId));
              requireOpen(deps, await users.findUserByEmail(tx, input.email));
              const email_folded = users.foldEmail(input.email);
              if ((await findMemberByEmail(tx, organizationId, email_folded)) !== undefined) {
                throw new ApiError('MEMBER_EXISTS');
              }
              const open = await listOpenInvitations(tx, organizationId);
              const again = open.find((one) => one.email_folded === email_folded);
              const pending = open.filter((one) => one.expires_at > at);
              if (pending.length >= PENDING_MAX && again === undefined) {
                throw limitExceeded({ limit: 'invitations', maximum: PENDING_MAX });
              }
              const { accept_url, columns } = issue(at);
              const row: InvitationTable = {
                organization_id: organizationId,
                id: newId('inv'),
                email: input.email,
                email_folded,
                role: input.role,
                project_roles_json: JSON.stringify(projectRoles),
                ...columns,
                invited_by: actor.id,
                created_at: at,
                accepted_at: null,
                revoked_at: null,
                revision: 1,
              };
              return {
                resource: resourceOf(row),
                before: null,
                after: fieldsOf(row),
                async write() {
                  // The newer one counts: two tokens for one person would outlive a withdrawal.
                  if (again !== undefined) await updateInvitation(tx, { ...again, revoked_at: at });
                  await insertInvitation(tx, row);
                  return { ...toRecord(row, at), accept_url };
                },
                replayable: ({ accept_url: _, ...record }) => record,
              };
            },
          },
          options,
        ),
      ),

    resend: async (actor, address, options) =>
      announce(
        await gate.applyChange<InvitationRecord>(
          actor,
          {
            action: 'member.invitation_resent',
            permission: 'invitation.write',
            async plan(tx, at) {
              const before = await requireInvitation(tx, actor, address);
              const { accept_url, columns } = issue(at);
              const after = { ...before, ...columns, revision: before.revision + 1 };
              return {
                resource: resourceOf(before),
                before: fieldsOf(before),
                after: fieldsOf(after),
                revision: before.revision,
                async write() {
                  await updateInvitation(tx, after);
                  return { ...toRecord(after, at), accept_url };
                },
                replayable: ({ accept_url: _, ...record }) => record,
              };
            },
          },
          options,
        ),
      ),

    revoke: (actor, address, options) =>
      gate.applyChange(
        actor,
        {
          action: 'member.invitation_revoked',
          permission: 'invitation.write',
          async plan(tx, at) {
            const before = await requireInvitation(tx, actor, address);
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: null,
              revision: before.revision,
              write: () => updateInvitation(tx, { ...before, revoked_at: at }),
            };
          },
        },
        options,
      ),

    accept: createAcceptance(deps),
  };
}

function resourceOf(row: InvitationTable) {
  return { type: 'invitation', id: row.id, key: row.email };
}

function fieldsOf(row: InvitationTable) {
  const { email, role, expires_at } = row;
  return { email, role, project_roles: rolesOf(row), expires_at };
}

function toRecord(row: InvitationTable, at: string): InvitationRecord {
  return {
    id: row.id,
    email: row.email,
    role: row.role as Role,
    project_roles: rolesOf(row),
    status: row.expires_at <= at ? 'expired' : 'pending',
    invited_by: row.invited_by,
    created_at: row.created_at,
    expires_at: row.expires_at,
    revision: row.revision,
  };
}

function invitationMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'You are invited',
    text: `You are invited to flagsvc. To accept within 7 days, open:\n\n${url}`,
  };
}

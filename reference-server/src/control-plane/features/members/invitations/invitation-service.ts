import { ApiError, limitExceeded } from '../../../../http/errors.ts';
import type { RegistrationMode } from '../../../../lib/deployment-modes.ts';
import { DAY_MS } from '../../../../lib/durations.ts';
import type { Database, Queryable, Tx } from '../../../../storage/database.ts';
import type { NewId } from '../../../../storage/ids.ts';
import type { InvitationTable } from '../../../../storage/people-tables.ts';
import type { Actor } from '../../../access/actor.ts';
import { requireGrantable } from '../../../access/permissions.ts';
import type { Role } from '../../../access/roles.ts';
import type { DashboardLinks } from '../../../mail/dashboard-links.ts';
import { composeMail, type Mail, toOneLine } from '../../../mail/mail.ts';
import type { Mailer } from '../../../mail/mailer.ts';
import type { ChangeOptions, WriteGate } from '../../../write-gate/change.ts';
import { createSecretHash, newSecret } from '../../auth/tokens/secret-tokens.ts';
import { requireAllowedDomain } from '../../organizations/organization-settings.ts';
import type { ReadOrganizationSettings } from '../../organizations/read-organization-settings.ts';
import type { RequireProject } from '../../projects/require-project.ts';
import type * as UserStore from '../../users/user-store.ts';
import { findMemberByEmail } from '../member-store.ts';
import {
  fieldsOf,
  type InvitationRecord,
  type ProjectRole,
  resourceOf,
  toRecord,
} from './invitation-record.ts';
import {
  findInvitation,
  insertInvitation,
  listOpenInvitations,
  updateInvitation,
} from './invitation-store.ts';
import { requireOpenFor } from './require-open.ts';

export interface NewInvitation {
  readonly organizationId: string;
  readonly email: string;
  readonly role: Role;
  readonly project_roles?: readonly ProjectRole[] | undefined;
}

export interface InvitationAddress {
  readonly organizationId: string;
  readonly invitationId: string;
}

/** Invitations to an organization by email. Each works once, for 7 days. */
export interface InvitationService {
  /** Invitations that are neither accepted nor revoked, newest first. */
  list(actor: Actor, organizationId: string): Promise<readonly InvitationRecord[]>;
  /** Throws MEMBER_EXISTS, EMAIL_DOMAIN_NOT_ALLOWED, REGISTRATION_CLOSED and LIMIT_EXCEEDED. */
  create(actor: Actor, input: NewInvitation, options: ChangeOptions): Promise<InvitationRecord>;
  /** Issues a new token, valid for 7 days; the old one stops working. */
  resend(actor: Actor, address: InvitationAddress, options: ChangeOptions): Promise<InvitationRecord>;
  revoke(actor: Actor, address: InvitationAddress, options: ChangeOptions): Promise<void>;
}

export interface InvitationServiceDeps {
  readonly db: Database;
  readonly gate: WriteGate;
  readonly newId: NewId;
  readonly now: () => number;
  readonly apiSecretKey: string;
  /** With `closed`, only existing users can be invited. */
  readonly registration: RegistrationMode;
  readonly mailer: Mailer;
  readonly links: DashboardLinks;
  readonly users: typeof UserStore;
  readonly readOrganizationSettings: ReadOrganizationSettings;
  readonly requireProject: RequireProject;
}

const LIFETIME_MS = 7 * DAY_MS;
const PENDING_MAX = 50;

export function createInvitationService(deps: InvitationServiceDeps): InvitationService {
  const { db, gate, newId, now, users, mailer } = deps;
  const hash = createSecretHash(deps.apiSecretKey);

  /** The token of a new or renewed invitation, as a link and as columns. */
  function issueToken(at: string) {
    const token = newSecret('invt_');
    return {
      accept_url: deps.links.acceptInvitation(token),
      columns: {
        token_hash: hash(token),
        expires_at: new Date(Date.parse(at) + LIFETIME_MS).toISOString(),
      },
    };
  }

  async function requireInvitable(tx: Tx, actor: Actor, input: NewInvitation): Promise<void> {
    const { organizationId, email, role, project_roles = [] } = input;
    for (const granted of [role, ...project_roles.map((one) => one.role)]) requireGrantable(actor, granted);
    for (const { project_id } of project_roles) await deps.requireProject(tx, organizationId, project_id);
    requireAllowedDomain(email, await deps.readOrganizationSettings(tx, organizationId));
    requireOpenFor(await users.findUserByEmail(tx, email), deps.registration);
    if ((await findMemberByEmail(tx, organizationId, users.foldEmail(email))) !== undefined) {
      throw new ApiError('MEMBER_EXISTS');
    }
  }

  return {
    async list(actor, organizationId) {
      requireOwnOrganization(actor, organizationId);
      const rows = await listOpenInvitations(db, organizationId);
      return rows.map((row) => toRecord(row, new Date(now()).toISOString()));
    },

    async create(actor, input, options) {
      const record = await gate.applyChange<InvitationRecord>(
        actor,
        {
          action: 'member.invited',
          permission: 'invitation.write',
          async plan(tx, at) {
            requireOwnOrganization(actor, input.organizationId);
            await requireInvitable(tx, actor, input);
            const open = await listOpenInvitations(tx, input.organizationId);
            const email_folded = users.foldEmail(input.email);
            const previous = open.find((one) => one.email_folded === email_folded);
            const pending = open.filter((one) => one.expires_at > at);
            if (pending.length >= PENDING_MAX && previous === undefined) {
              throw limitExceeded({ limit: 'invitations', maximum: PENDING_MAX });
            }
            const { accept_url, columns } = issueToken(at);
            const row = newRow(input, { actor, id: newId('inv'), email_folded, at, columns });
            return {
              resource: resourceOf(row),
              before: null,
              after: fieldsOf(row),
              async write() {
                // Otherwise one person could have two valid tokens, and one would stay valid when the invitation of the
                // other is revoked.
                if (previous !== undefined) await updateInvitation(tx, { ...previous, revoked_at: at });
                await insertInvitation(tx, row);
                await mailer.put(tx, [invitationMail(row.email, { actor, accept_url })]);
                return { ...toRecord(row, at), accept_url, is_mailed: mailer.canSend };
              },
              replayable: withoutUrl,
            };
          },
        },
        options,
      );
      mailer.wake();
      return record;
    },

    async resend(actor, address, options) {
      const record = await gate.applyChange<InvitationRecord>(
        actor,
        {
          action: 'member.invitation_resent',
          permission: 'invitation.write',
          async plan(tx, at) {
            const before = await requireInvitation(tx, actor, address);
            const { accept_url, columns } = issueToken(at);
            const after = { ...before, ...columns, revision: before.revision + 1 };
            return {
              resource: resourceOf(before),
              before: fieldsOf(before),
              after: fieldsOf(after),
              revision: before.revision,
              async write() {
                await updateInvitation(tx, after);
                await mailer.put(tx, [invitationMail(after.email, { actor, accept_url })]);
                return { ...toRecord(after, at), accept_url, is_mailed: mailer.canSend };
              },
              replayable: withoutUrl,
            };
          },
        },
        options,
      );
      mailer.wake();
      return record;
    },

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
  };
}

function requireOwnOrganization(actor: Actor, organizationId: string): void {
  if (organizationId !== actor.organizationId) throw new ApiError('ORGANIZATION_NOT_FOUND');
}

async function requireInvitation(
  db: Queryable,
  actor: Actor,
  { organizationId, invitationId }: InvitationAddress,
): Promise<InvitationTable> {
  requireOwnOrganization(actor, organizationId);
  const row = await findInvitation(db, organizationId, invitationId);
  if (row === undefined) throw new ApiError('INVITATION_NOT_FOUND');
  return row;
}

function newRow(
  input: NewInvitation,
  of: {
    readonly actor: Actor;
    readonly id: string;
    readonly email_folded: string;
    readonly at: string;
    readonly columns: Pick<InvitationTable, 'token_hash' | 'expires_at'>;
  },
): InvitationTable {
  return {
    organization_id: input.organizationId,
    id: of.id,
    email: input.email,
    email_folded: of.email_folded,
    role: input.role,
    project_roles_json: JSON.stringify(input.project_roles ?? []),
    ...of.columns,
    invited_by: of.actor.id,
    created_at: of.at,
    accepted_at: null,
    revoked_at: null,
    revision: 1,
  };
}

/** The answer to a repeated request. It has no link, because the token is not stored. */
function withoutUrl({ accept_url: _, ...record }: InvitationRecord): InvitationRecord {
  return record;
}

function invitationMail(
  to: string,
  { actor, accept_url }: { readonly actor: Actor; readonly accept_url: string },
): Mail {
  const by = actor.email === null ? 'You are invited' : `${toOneLine(actor.email)} has invited you`;
  return composeMail({
    to,
    subject: 'You are invited to flagsvc',
    paragraphs: [
      `${by} to flagsvc. To accept within 7 days, open:`,
      'If you did not expect this invitation, ignore this email.',
    ],
    link: { url: accept_url, label: 'Accept the invitation', after: 1 },
    lifetimeMs: LIFETIME_MS,
  });
}

import type { InvitationTable } from '../../../../storage/people-tables.ts';
import type { Role } from '../../../access/roles.ts';

/** An invitation as the API returns it. */
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
  /** The link that accepts the invitation; present only in the answer to its creation or renewal. */
  readonly accept_url?: string;
  /** Whether the link was sent by email; present in the same answers. */
  readonly is_mailed?: boolean;
}

/** A role in one project, granted with the membership. */
export interface ProjectRole {
  readonly project_id: string;
  readonly role: Role;
}

export function resourceOf(row: InvitationTable) {
  return { type: 'invitation', id: row.id, key: row.email };
}

/** The fields of the audit entry. */
export function fieldsOf(row: InvitationTable) {
  const { email, role, expires_at } = row;
  return { email, role, project_roles: projectRolesOf(row), expires_at };
}

export function toRecord(row: InvitationTable, at: string): InvitationRecord {
  return {
    id: row.id,
    email: row.email,
    role: row.role as Role,
    project_roles: projectRolesOf(row),
    status: row.expires_at <= at ? 'expired' : 'pending',
    invited_by: row.invited_by,
    created_at: row.created_at,
    expires_at: row.expires_at,
    revision: row.revision,
  };
}

export function projectRolesOf(row: InvitationTable): readonly ProjectRole[] {
  return JSON.parse(row.project_roles_json) as ProjectRole[];
}

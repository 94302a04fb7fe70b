import { sql } from 'kysely';
import { isTrue, objectOf } from '../../../storage/sql-dialect.ts';
import type { Actor, Origin } from '../../access/actor.ts';
import type { Role } from '../../access/roles.ts';

/**
 * The rights of a member or service account, read from the database for each request, so that a change takes effect at
 * once.
 */
export interface CurrentRights {
  readonly role: Role;
  readonly projectRoles: Readonly<Record<string, Role>>;
  /** The environments in which changes are allowed; null: all, as for every admin. */
  readonly environmentIds: readonly string[] | null;
}

/** The columns of a query over `memberships` that `toCurrentRights` reads. */
export interface RightsRow {
  readonly role: string;
  readonly environment_ids_json: string | null;
  readonly project_roles_json: string;
}

/** The member's project roles as a JSON object by project id. */
export const projectRolesColumn = sql<string>`(
  select ${objectOf('project_id', 'project_roles.role')} from project_roles
  where project_roles.user_id = memberships.user_id
  and project_roles.organization_id = memberships.organization_id
)`.as('project_roles_json');

/** 1 when the member lacks a second factor although the organization requires one. */
export const mustEnrollColumn = sql<0 | 1>`(
  exists (select 1 from organizations where organizations.id = memberships.organization_id
    and ${isTrue('organizations.settings_json', 'require_mfa')})
  and not exists (select 1 from totp_factors where totp_factors.user_id = memberships.user_id
    and totp_factors.confirmed_at is not null)
)`.as('must_enroll');

export function toCurrentRights(row: RightsRow): CurrentRights {
  const role = row.role as Role;
  const restriction = row.environment_ids_json;
  return {
    role,
    projectRoles: JSON.parse(row.project_roles_json) as Record<string, Role>,
    environmentIds: role === 'admin' || restriction === null ? null : (JSON.parse(restriction) as string[]),
  };
}

/**
 * The actor for a user who is authenticated by a session (`sessionId`) or by a machine token (`tokenId`), or who acts
 * later without either.
 */
export function userActor(of: {
  readonly user: { readonly id: string; readonly email: string; readonly organizationId: string };
  readonly rights: CurrentRights;
  readonly origin: Origin;
  readonly by?: Partial<Pick<Actor, 'sessionId' | 'scopes' | 'tokenId' | 'mustEnroll'>>;
}): Actor {
  const { user, rights, origin, by } = of;
  const { id, email, organizationId } = user;
  return {
    kind: 'user',
    id,
    email,
    organizationId,
    ...rights,
    sessionId: null,
    scopes: null,
    ...by,
    origin,
  };
}

/** The lowest rights, for an actor who is not known to be a member. */
export const VIEWER_RIGHTS: CurrentRights = { role: 'viewer', projectRoles: {}, environmentIds: null };

import { sql } from 'kysely';
import { invalid } from '../../../http/errors.ts';
import { isTrue, objectOf } from '../../../storage/sql-dialect.ts';
import type { Actor, Origin } from '../../access/actor.ts';
import type { Role } from '../../access/roles.ts';

/** What decides what a member may do. Read anew for each request, so that a change acts at once. */
export interface CurrentRights {
  readonly role: Role;
  readonly projectRoles: Readonly<Record<string, Role>>;
  /** The environments that the member may change things in; null: all, as for admins always. */
  readonly environmentIds: readonly string[] | null;
}

/** The columns that `toCurrentRights` reads, of a query over `memberships`. */
export interface RightsRow {
  readonly role: string;
  readonly environment_ids_json: string | null;
  readonly project_roles_json: string;
}

/** The project roles of the row's member, as a JSON object by project id. */
export const projectRolesColumn = sql<string>`(
  select ${objectOf('project_id', 'project_roles.role')} from project_roles
  where project_roles.user_id = memberships.user_id
  and project_roles.organization_id = memberships.organization_id
)`.as('project_roles_json');

/** 1 when the row's member lacks the second factor that the organization requires. */
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

/** What is stored of a restriction to environments. Throws VALIDATION_ERROR for admins, whom nothing restricts. */
export function restrictionJson(role: Role, environmentIds: readonly string[] | null): string | null {
  if (environmentIds === null) return null;
  if (role !== 'admin') return JSON.stringify([...new Set(environmentIds)]);
  throw invalid({
    field: 'environment_ids',
    location: 'body',
    code: 'role',
    message: 'must be null for admins, who may change all environments',
  });
}

/** A user as the one who acts, by a session, a token, or neither. */
export function userActor(
  user: { readonly id: string; readonly email: string; readonly organizationId: string },
  rights: CurrentRights,
  origin: Origin,
  by: Partial<Pick<Actor, 'sessionId' | 'scopes' | 'tokenId' | 'mustEnroll'>> = {},
): Actor {
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

/** Of somebody who is not known to be a member: nothing beyond the lowest role. */
export const VIEWER_RIGHTS: CurrentRights = { role: 'viewer', projectRoles: {}, environmentIds: null };

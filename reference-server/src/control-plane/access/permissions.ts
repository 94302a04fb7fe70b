import { ApiError } from '../../http/errors.ts';
import type { Actor } from './actor.ts';
import { isEnrolmentPermission } from './enrolment.ts';
import { isProjectPermission, type Permission, permissionsOf, type Role, rolesWith } from './roles.ts';
import { coversPermission, isClosedToTokens, requiresLogin } from './scopes.ts';

/** True when the actor has the permission in the whole organization or in the given project. */
export function hasPermission(actor: Actor, permission: Permission, projectId?: string | null): boolean {
  if (!isWithinLimits(actor, permission)) return false;
  const roles = rolesWith(permission);
  if (roles.includes(actor.role)) return true;
  if (projectId == null || !isProjectPermission(permission)) return false;
  const projectRole = Object.hasOwn(actor.projectRoles, projectId)
    ? actor.projectRoles[projectId]
    : undefined;
  return projectRole !== undefined && roles.includes(projectRole);
}

/** Throws INSUFFICIENT_PERMISSIONS (403) unless the actor has the permission in the organization or the project. */
export function requirePermission(actor: Actor, permission: Permission, projectId?: string | null): void {
  if (!hasPermission(actor, permission, projectId)) throw insufficient(actor, permission);
}

/**
 * Throws INSUFFICIENT_PERMISSIONS unless the actor has the permission in the organization or in any project. For checks
 * before the project of a request is known.
 */
export function requireSomewhere(actor: Actor, permission: Permission): void {
  if (hasPermission(actor, permission)) return;
  if (Object.keys(actor.projectRoles).some((id) => hasPermission(actor, permission, id))) return;
  throw insufficient(actor, permission);
}

/** Throws INSUFFICIENT_PERMISSIONS when the actor has no access to one of the required environments; skips null ids. */
export function requireEnvironments(
  { environmentIds, role, scopes }: Actor,
  required: readonly (string | null | undefined)[],
): void {
  if (environmentIds === null) return;
  const barred = required.find((id) => id != null && !environmentIds.includes(id));
  if (barred === undefined) return;
  throw new ApiError('INSUFFICIENT_PERMISSIONS', {
    message: 'Your membership does not include every environment that this would change.',
    details: { environment_id: barred, role, ...(scopes !== null && { scopes }) },
  });
}

/** Throws INSUFFICIENT_PERMISSIONS unless the actor's own role has every permission of the role to be granted. */
export function requireGrantable(actor: Actor, role: Role): void {
  const own = new Set(permissionsOf(actor.role));
  const missing = permissionsOf(role).find((permission) => !own.has(permission));
  if (missing !== undefined) throw insufficient(actor, missing);
}

/**
 * Checks the limits that apply to every role: a missing second factor, a missing login, the scopes of a machine token.
 */
function isWithinLimits({ scopes, kind, sessionId, mustEnroll }: Actor, permission: Permission): boolean {
  if (mustEnroll === true && !isEnrolmentPermission(permission)) return false;
  if (requiresLogin(permission)) return kind === 'user' && sessionId !== null;
  return scopes === null || coversPermission(scopes, permission);
}

function insufficient(actor: Actor, permission: Permission): ApiError {
  if (actor.mustEnroll === true && !isEnrolmentPermission(permission)) {
    const enroll = ['POST /api/v1/auth/mfa/totp', 'POST /api/v1/auth/mfa/totp/confirm'];
    return new ApiError('MFA_ENROLLMENT_REQUIRED', {
      details: { organization_id: actor.organizationId, enroll },
    });
  }
  const { role, scopes } = actor;
  const required = rolesWith(permission);
  const message = required.includes(role) ? limitMessage(permission) : undefined;
  return new ApiError('INSUFFICIENT_PERMISSIONS', {
    ...(message !== undefined && { message }),
    details: { permission, role, required_roles: required, ...(scopes !== null && { scopes }) },
  });
}

function limitMessage(permission: Permission): string {
  return isClosedToTokens(permission)
    ? 'This requires the access token of a login; a machine token is not accepted.'
    : 'The scopes of this token do not allow this.';
}

import type { Permission } from './roles.ts';

/**
 * The permissions that a member keeps without the required second factor: to read their account and to set the factor
 * up.
 */
const ENROLMENT_PERMISSIONS: ReadonlySet<string> = new Set<Permission>(['session.own', 'user.read']);

export function isEnrolmentPermission(permission: Permission): boolean {
  return ENROLMENT_PERMISSIONS.has(permission);
}

/** True when a route with this access is open to a member who has yet to set up the required second factor. */
export function isOpenToEnrolment(access: string): boolean {
  return ENROLMENT_PERMISSIONS.has(access) || access === 'public' || access === 'apiKey';
}

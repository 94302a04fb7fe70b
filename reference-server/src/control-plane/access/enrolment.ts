import type { Permission } from './roles.ts';

/** The permissions left to a member without the required second factor: see one's account and set the factor up. */
const ENROLMENT_PERMISSIONS: ReadonlySet<string> = new Set<Permission>(['session.own', 'user.read']);

export function isEnrolmentPermission(permission: Permission): boolean {
  return ENROLMENT_PERMISSIONS.has(permission);
}

/** True when a route with this access is open to a member who has yet to set up the required second factor. */
export function isOpenToEnrolment(access: string): boolean {
  return ENROLMENT_PERMISSIONS.has(access) || access === 'public' || access === 'apiKey';
}

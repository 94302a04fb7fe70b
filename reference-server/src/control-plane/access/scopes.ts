import type { Permission } from './roles.ts';

/** The scopes of a machine token; each includes all earlier scopes. */
export const SCOPES = ['read', 'code_references:write', 'flags:write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Permissions that require a person with a login; machine tokens never have them. */
const LOGIN_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([
  'session.own',
  'break_glass.use',
  'break_glass.review',
]);

/** Permissions that no scope grants, so that a stolen machine token can neither create tokens nor invite anybody. */
const UNSCOPED_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([
  'service_account.write',
  'organization.update',
  'member.write',
  'invitation.write',
]);

const FLAG_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>(['flag.write', 'segment.write']);

/** True when the permission requires a person with a login. */
export function requiresLogin(permission: Permission): boolean {
  return LOGIN_PERMISSIONS.has(permission);
}

/** True when no machine token can have the permission, whatever its scopes. */
export function isClosedToTokens(permission: Permission): boolean {
  return LOGIN_PERMISSIONS.has(permission) || UNSCOPED_PERMISSIONS.has(permission);
}

/** True when one of a machine token's scopes covers the permission. */
export function coversPermission(scopes: readonly Scope[], permission: Permission): boolean {
  if (isClosedToTokens(permission)) return false;
  if (scopes.includes('admin')) return true;
  if (FLAG_PERMISSIONS.has(permission)) return scopes.includes('flags:write');
  if (permission === 'code_reference.write') {
    return scopes.includes('code_references:write') || scopes.includes('flags:write');
  }
  return permission.endsWith('.read');
}

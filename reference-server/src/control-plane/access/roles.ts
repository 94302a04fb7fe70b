/** The roles of an organization ("Authentication", 6). */
export const ROLES = ['admin', 'editor', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERYONE: readonly Role[] = ['admin', 'editor', 'viewer'];
const EDITORS: readonly Role[] = ['admin', 'editor'];
const ADMINS: readonly Role[] = ['admin'];

/** The role table: every permission and the roles that have it. Routes and changes name permissions, never roles. */
export const ROLE_TABLE = {
  'user.read': EVERYONE,
  /** One's own sessions, password and tokens. */
  'session.own': EVERYONE,
  'instance.read': EVERYONE,
  'organization.read': EVERYONE,
  'organization.create': EVERYONE,
  'organization.update': ADMINS,
  'member.read': EVERYONE,
  'member.write': ADMINS,
  'invitation.read': ADMINS,
  'invitation.write': ADMINS,
  'service_account.read': ADMINS,
  'service_account.write': ADMINS,
  'project.read': EVERYONE,
  'project.create': EDITORS,
  'project.update': ADMINS,
  'project.delete': ADMINS,
  'environment.read': EVERYONE,
  'environment.create': EDITORS,
  'environment.update': ADMINS,
  'environment.delete': ADMINS,
  /** Orders to delete the events of users. */
  'erasure.read': ADMINS,
  'erasure.write': ADMINS,
  'flag.read': EVERYONE,
  'flag.write': EDITORS,
  /** Permanent deletion, and releasing the reserved keys of deleted flags. */
  'flag.delete': ADMINS,
  /** Uploads from code scanners. */
  'code_reference.write': EDITORS,
  'segment.read': EVERYONE,
  'segment.write': EDITORS,
  'api_key.read': EDITORS,
  'api_key.write': EDITORS,
  /** Keys of production environments; required in addition to `api_key.write`. */
  'api_key.write_production': ADMINS,
  /** Entries that belong to a project. */
  'audit.read': EVERYONE,
  /** All entries, including those about the organization and its people. */
  'audit.read_all': ADMINS,
  'freeze_window.read': EVERYONE,
  'freeze_window.write': ADMINS,
  'break_glass.read': ADMINS,
  'break_glass.use': ADMINS,
  'break_glass.review': ADMINS,
  'webhook.read': ADMINS,
  'webhook.write': ADMINS,
  /** Sent messages and their outcomes. */
  'webhook_delivery.read': EDITORS,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof ROLE_TABLE;

/** The permissions that a role in a single project grants, beyond the member's role in the organization. */
const PROJECT_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([
  'project.read',
  'project.update',
  'project.delete',
  'environment.read',
  'environment.create',
  'environment.update',
  'environment.delete',
  'flag.read',
  'flag.write',
  'code_reference.write',
  'segment.read',
  'segment.write',
  'api_key.read',
  'api_key.write',
  'api_key.write_production',
]);

/** The roles that have a permission. */
export function rolesWith(permission: Permission): readonly Role[] {
  return ROLE_TABLE[permission];
}

/** The permissions that a role grants in the whole organization. */
export function permissionsOf(role: Role): readonly Permission[] {
  const all = Object.keys(ROLE_TABLE) as Permission[];
  return all.filter((permission) => rolesWith(permission).includes(role));
}

/** True when a role in one project can grant the permission there. */
export function isProjectPermission(permission: Permission): boolean {
  return PROJECT_PERMISSIONS.has(permission);
}

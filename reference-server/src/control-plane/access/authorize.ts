import { ApiError } from '../../http/errors.ts';

/** The roles of an organization ("Authentication", 6). */
export const ROLES = ['admin', 'editor', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

const EVERYONE: readonly Role[] = ['admin', 'editor', 'viewer'];
const EDITORS: readonly Role[] = ['admin', 'editor'];
const ADMINS: readonly Role[] = ['admin'];

/** The one role table: who may do what. A route names its permission; nothing else decides. */
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
  'flag.read': EVERYONE,
  'flag.write': EDITORS,
  /** For good, and to release the keys of flags that were. */
  'flag.delete': ADMINS,
  /** What scanners of code send. */
  'code_reference.write': EDITORS,
  'segment.read': EVERYONE,
  'segment.write': EDITORS,
  'api_key.read': EDITORS,
  'api_key.write': EDITORS,
  /** Keys of environments of type production; asked beside `api_key.write`. */
  'api_key.write_production': ADMINS,
  /** Entries of projects. */
  'audit.read': EVERYONE,
  /** Also entries of the organization and its people. */
  'audit.read_all': ADMINS,
  'freeze_window.read': EVERYONE,
  'freeze_window.write': ADMINS,
  'break_glass.read': ADMINS,
  'break_glass.use': ADMINS,
  'break_glass.review': ADMINS,
  'webhook.read': ADMINS,
  'webhook.write': ADMINS,
  /** What was sent, and what became of it. */
  'webhook_delivery.read': EDITORS,
} as const satisfies Record<string, readonly Role[]>;

export type Permission = keyof typeof ROLE_TABLE;

/** What a role in one project can give beyond the role in the organization. */
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

/** What a token for a program may be made for; each one also allows what those before it do. */
export const SCOPES = ['read', 'code_references:write', 'flags:write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** An agent decides by itself what it does; another service account does what it was programmed to. */
export const SERVICE_ACCOUNT_KINDS = ['service_account', 'agent'] as const;
export type ServiceAccountKind = (typeof SERVICE_ACCOUNT_KINDS)[number];

const FLAG_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>(['flag.write', 'segment.write']);

/** What wants a person at a keyboard: nobody else has it. */
const SESSION_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([
  'session.own',
  'break_glass.use',
  'break_glass.review',
]);

/** What no token for programs opens, whatever its scopes: one that was stolen makes no other and lets nobody in. */
const TOKENLESS_PERMISSIONS: ReadonlySet<Permission> = new Set<Permission>([
  'service_account.write',
  'organization.update',
  'member.write',
  'invitation.write',
]);

/** What is left to whoever lacks the second factor that the organization requires: to see who they are and get one. */
const ENROLMENT_PERMISSIONS: ReadonlySet<string> = new Set<Permission>(['session.own', 'user.read']);

/** Whether a route of that access is open to a member who has yet to set up a second factor. */
export function isOpenToEnrolment(access: string): boolean {
  return ENROLMENT_PERMISSIONS.has(access) || access === 'public' || access === 'apiKey';
}

export type ActorKind = 'user' | ServiceAccountKind | 'system';

/** Who makes a request, with what an audit entry tells of it. The tenant comes from here, never from the request. */
export interface Actor {
  readonly kind: ActorKind;
  /** Null for the system. */
  readonly id: string | null;
  /** Of a user. */
  readonly email: string | null;
  /** Of a service account, which has no e-mail. */
  readonly name?: string;
  /** Read from the database for this request. */
  readonly role: Role;
  readonly organizationId: string;
  /** Null for the system, schedules, and whoever comes with a token for programs. */
  readonly sessionId: string | null;
  /** Of a token for programs; null: everything that the role allows. */
  readonly scopes: readonly Scope[] | null;
  /** Id of the token for programs. */
  readonly tokenId?: string;
  /** True for a member who lacks the second factor that the organization requires; absent: no. */
  readonly mustEnroll?: boolean;
  /** Roles by project id, where they are more than `role`. */
  readonly projectRoles: Readonly<Record<string, Role>>;
  /** The environments that the actor may change things in; null: all. */
  readonly environmentIds: readonly string[] | null;
  readonly origin: Origin;
}

/** By what way a change came in; `dashboard`, `cli` and `mcp` are the client's own word. */
export type Via = 'api' | 'dashboard' | 'cli' | 'mcp' | 'schedule' | 'import' | 'bulk' | 'system';

/** Where a request comes from. */
export interface Origin {
  readonly via: Via;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Whether the actor has the permission in the whole organization, or in the given project. */
export function hasPermission(actor: Actor, permission: Permission, projectId?: string | null): boolean {
  if (!isInScope(actor, permission)) return false;
  const roles: readonly Role[] = ROLE_TABLE[permission];
  if (roles.includes(actor.role)) return true;
  if (projectId == null || !PROJECT_PERMISSIONS.has(permission)) return false;
  const own = Object.hasOwn(actor.projectRoles, projectId) ? actor.projectRoles[projectId] : undefined;
  return own !== undefined && roles.includes(own);
}

/** Throws INSUFFICIENT_PERMISSIONS (403) unless the actor has the permission, there or everywhere. */
export function requirePermission(actor: Actor, permission: Permission, projectId?: string | null): void {
  if (!hasPermission(actor, permission, projectId)) throw insufficient(actor, permission);
}

/**
 * Throws INSUFFICIENT_PERMISSIONS unless the actor has the permission in the organization or in some project: all
 * that can be asked before it is known which project a request is about.
 */
export function requireSomewhere(actor: Actor, permission: Permission): void {
  if (hasPermission(actor, permission)) return;
  if (Object.keys(actor.projectRoles).some((id) => hasPermission(actor, permission, id))) return;
  throw insufficient(actor, permission);
}

/** Throws INSUFFICIENT_PERMISSIONS when a member is kept out of one of the environments; nulls are passed over. */
export function requireEnvironments(
  { environmentIds, role, scopes }: Actor,
  reached: readonly (string | null | undefined)[],
): void {
  if (environmentIds === null) return;
  const barred = reached.find((id) => id != null && !environmentIds.includes(id));
  if (barred === undefined) return;
  throw new ApiError('INSUFFICIENT_PERMISSIONS', {
    message: 'Your membership does not include every environment that this would change.',
    details: { environment_id: barred, role, ...(scopes !== null && { scopes }) },
  });
}

function isInScope({ scopes, kind, sessionId, mustEnroll }: Actor, permission: Permission): boolean {
  if (mustEnroll === true && !ENROLMENT_PERMISSIONS.has(permission)) return false;
  if (SESSION_PERMISSIONS.has(permission)) return kind === 'user' && sessionId !== null;
  if (scopes === null) return true;
  if (TOKENLESS_PERMISSIONS.has(permission)) return false;
  if (scopes.includes('admin')) return true;
  if (FLAG_PERMISSIONS.has(permission)) return scopes.includes('flags:write');
  if (permission === 'code_reference.write') {
    return scopes.includes('code_references:write') || scopes.includes('flags:write');
  }
  return permission.endsWith('.read');
}

/** Every permission that the role gives in the organization. */
function permissionsOf(role: Role): readonly Permission[] {
  return (Object.keys(ROLE_TABLE) as Permission[]).filter((permission) =>
    (ROLE_TABLE[permission] as readonly Role[]).includes(role),
  );
}

/** Nobody grants what they have not got: throws INSUFFICIENT_PERMISSIONS unless the actor's role holds all of `role`. */
export function requireGrantable(actor: Actor, role: Role): void {
  const own = new Set(permissionsOf(actor.role));
  const missing = permissionsOf(role).find((permission) => !own.has(permission));
  if (missing !== undefined) throw insufficient(actor, missing);
}

function insufficient(actor: Actor, permission: Permission): ApiError {
  if (actor.mustEnroll === true && !ENROLMENT_PERMISSIONS.has(permission)) {
    const enroll = ['POST /api/v1/auth/mfa/totp', 'POST /api/v1/auth/mfa/totp/confirm'];
    return new ApiError('MFA_ENROLLMENT_REQUIRED', {
      details: { organization_id: actor.organizationId, enroll },
    });
  }
  const { role, scopes } = actor;
  const required = ROLE_TABLE[permission] as readonly Role[];
  const message = required.includes(role) ? messageOfScope(permission) : undefined;
  return new ApiError('INSUFFICIENT_PERMISSIONS', {
    ...(message !== undefined && { message }),
    details: { permission, role, required_roles: required, ...(scopes !== null && { scopes }) },
  });
}

function messageOfScope(permission: Permission): string {
  return SESSION_PERMISSIONS.has(permission) || TOKENLESS_PERMISSIONS.has(permission)
    ? 'This takes the access token of a login; a token for programs does not open it.'
    : 'The scopes of this token do not allow this.';
}

/** The service itself, acting in one organization. */
export function systemActor(organizationId: string): Actor {
  return {
    kind: 'system',
    id: null,
    email: null,
    role: 'admin',
    organizationId,
    sessionId: null,
    scopes: null,
    projectRoles: {},
    environmentIds: null,
    origin: { via: 'system', requestId: null, ip: null, userAgent: null },
  };
}

import type { Role } from './roles.ts';
import type { Scope } from './scopes.ts';

/** A service account runs a fixed program; an agent decides by itself what to do, and more rules apply to it. */
export const SERVICE_ACCOUNT_KINDS = ['service_account', 'agent'] as const;
export type ServiceAccountKind = (typeof SERVICE_ACCOUNT_KINDS)[number];

export type ActorKind = 'user' | ServiceAccountKind | 'system';

/**
 * The author of a request or a change, with their rights. The tenant of a request is always the actor's organization.
 */
export interface Actor {
  readonly kind: ActorKind;
  /** Null for the system. */
  readonly id: string | null;
  /** Users only. */
  readonly email: string | null;
  /** Service accounts only. */
  readonly name?: string;
  /** The role in the organization, read from the database for this request. */
  readonly role: Role;
  readonly organizationId: string;
  /** The login session; null for the system, schedules and machine tokens. */
  readonly sessionId: string | null;
  /** Scopes of the machine token; null: not restricted by scopes. */
  readonly scopes: readonly Scope[] | null;
  /** Id of the machine token. */
  readonly tokenId?: string;
  /** True for a member without the second factor that the organization requires; default false. */
  readonly mustEnroll?: boolean;
  /** Roles by project id, for projects in which the actor has a higher role than `role`. */
  readonly projectRoles: Readonly<Record<string, Role>>;
  /** The environments in which the actor may change things; null: all. */
  readonly environmentIds: readonly string[] | null;
  readonly origin: Origin;
}

/** The channel a change came through; `dashboard`, `cli` and `mcp` are claimed by the client. */
export type Via = 'api' | 'dashboard' | 'cli' | 'mcp' | 'schedule' | 'import' | 'bulk' | 'system';

/** Where a request comes from, for the audit log. */
export interface Origin {
  readonly via: Via;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
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

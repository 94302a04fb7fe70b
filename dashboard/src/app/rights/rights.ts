import type { Role } from '../../api/types.ts';

/** What a person or program may do, as the forms edit it. */
export interface AssignedRights {
  readonly role: Role;
  /** Environments in which changes are allowed; null: all. */
  readonly environment_ids: readonly string[] | null;
  /** Roles in single projects, in addition to `role`. */
  readonly project_roles: readonly { readonly project_id: string; readonly role: Role }[];
}

export function rightsOf({ role, environment_ids, project_roles }: AssignedRights): AssignedRights {
  return { role, environment_ids, project_roles };
}

/** Admins cannot be kept from an environment. */
export function withRole(rights: AssignedRights, role: Role): AssignedRights {
  return { ...rights, role, environment_ids: role === 'admin' ? null : rights.environment_ids };
}

/** Whether the choice of environments makes a difference. */
export function isAbleToEdit({ role, project_roles: roles }: AssignedRights): boolean {
  return role === 'editor' || (role === 'viewer' && roles.some((own) => own.role === 'editor'));
}

/** The rights as the API takes them. Environments that are gone are left out, because the API refuses them. */
export function bodyOfRights(
  rights: Partial<AssignedRights>,
  isKnown: (environmentId: string) => boolean,
): { role?: Role; environment_ids?: string[] | null; project_roles?: { project_id: string; role: Role }[] } {
  const { role, environment_ids: ids, project_roles: roles } = rights;
  return {
    ...(role !== undefined && { role }),
    ...(ids !== undefined && { environment_ids: ids === null ? null : ids.filter(isKnown) }),
    ...(roles !== undefined && { project_roles: roles.map((own) => ({ ...own })) }),
  };
}

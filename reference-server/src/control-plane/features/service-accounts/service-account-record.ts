import type { Static } from 'typebox';
import type { ServiceAccountKind } from '../../access/actor.ts';
import type { Role } from '../../access/roles.ts';
import { toCurrentRights } from '../users/current-rights.ts';
import type * as schemas from './service-account-schemas.ts';
import type { ServiceAccountRow } from './service-account-store.ts';

/** A service account as the API returns it. */
export type ServiceAccountRecord = Static<typeof schemas.ServiceAccount>;
export type NewServiceAccount = Static<typeof schemas.NewServiceAccount>;
export type ServiceAccountPatch = Static<typeof schemas.ServiceAccountPatch>;

export function resourceOf({ id, name }: Pick<ServiceAccountRow, 'id' | 'name'>) {
  return { type: 'service_account', id, key: name };
}

/** The fields of the audit entry. */
export function fieldsOf(row: ServiceAccountRow) {
  const { kind, name, description, role, status, environment_ids, project_roles } = toRecord(row);
  return { kind, name, description, role, status, environment_ids, project_roles };
}

export function toRecord(row: ServiceAccountRow): ServiceAccountRecord {
  const { projectRoles, environmentIds, role } = toCurrentRights(row);
  return {
    id: row.id,
    kind: row.kind as ServiceAccountKind,
    name: row.name,
    description: row.description,
    role,
    environment_ids: environmentIds === null ? null : [...environmentIds],
    project_roles: Object.entries(projectRoles)
      .map(([project_id, own]) => ({ project_id, role: own }))
      .sort((one, other) => (one.project_id < other.project_id ? -1 : 1)),
    status: row.disabled_at === null ? 'active' : 'disabled',
    created_by: row.created_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_used_at: row.last_used_at,
    revision: row.revision,
  };
}

/** Roles by project id, as stored. */
export function rolesById(
  roles: readonly { readonly project_id: string; readonly role: Role }[],
): Readonly<Record<string, Role>> {
  return Object.fromEntries(roles.map(({ project_id, role }) => [project_id, role]));
}

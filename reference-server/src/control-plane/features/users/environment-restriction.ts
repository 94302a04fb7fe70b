import { invalid } from '../../../http/errors.ts';
import type { Role } from '../../access/roles.ts';

/** The stored form of a restriction to environments. Throws VALIDATION_ERROR for admins, who cannot be restricted. */
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

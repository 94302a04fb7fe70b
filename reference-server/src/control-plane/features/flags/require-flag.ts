import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { FlagState } from './flag-state.ts';
import { findFlag, findFlagByKey } from './flag-store.ts';
import type { ProjectLookups } from './project-lookups.ts';

/** One flag in one environment. */
export interface FlagAddress {
  readonly flagId: string;
  readonly environmentId: string;
}

/** One flag in one environment, named by the key of the flag. */
export interface FlagKeyAddress {
  readonly key: string;
  readonly environmentId: string;
  /** When given, the environment must belong to this project. */
  readonly projectId?: string | undefined;
}

interface Tenant {
  readonly organizationId: string;
}

type Lookups = Pick<ProjectLookups, 'requireEnvironment'>;

/** Throws ENVIRONMENT_NOT_FOUND or FLAG_NOT_FOUND, also for environments and flags of other organizations. */
export async function requireFlag(
  db: Queryable,
  { requireEnvironment }: Lookups,
  address: FlagAddress & Tenant,
): Promise<FlagState> {
  await requireEnvironment(db, address.organizationId, address.environmentId);
  const flag = await findFlag(db, address);
  if (flag === undefined) throw new ApiError('FLAG_NOT_FOUND');
  return flag;
}

/** Undefined when the environment's project has no flag of that key. Throws ENVIRONMENT_NOT_FOUND. */
export async function findByKeyAddress(
  db: Queryable,
  { requireEnvironment }: Lookups,
  { organizationId, key, environmentId, projectId }: FlagKeyAddress & Tenant,
): Promise<FlagState | undefined> {
  const environment = await requireEnvironment(db, organizationId, environmentId);
  if (projectId !== undefined && environment.project_id !== projectId) {
    throw new ApiError('ENVIRONMENT_NOT_FOUND');
  }
  return findFlagByKey(db, { organizationId, key, environmentId });
}

/** Throws FLAG_ARCHIVED. */
export function requireUnarchived(flag: FlagState): FlagState {
  if (flag.status === 'archived') throw new ApiError('FLAG_ARCHIVED');
  return flag;
}

/** Throws FLAG_STATUS_CONFLICT unless the flag has one of the allowed statuses. */
export function requireStatus(flag: FlagState, ...allowed: readonly FlagState['status'][]): FlagState {
  if (allowed.includes(flag.status)) return flag;
  throw new ApiError('FLAG_STATUS_CONFLICT', { details: { status: flag.status, allowed } });
}

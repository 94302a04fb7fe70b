import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import type { FlagAddress, FlagPorts } from './flag-service.ts';
import type { FlagState } from './flag-state.ts';
import { findFlag } from './flag-store.ts';

/** Throws FLAG_NOT_FOUND, also for another tenant's flag, and ENVIRONMENT_NOT_FOUND. */
export async function requireFlag(
  db: Queryable,
  { requireEnvironment }: Pick<FlagPorts, 'requireEnvironment'>,
  organizationId: string,
  { flagId, environmentId }: FlagAddress,
): Promise<FlagState> {
  await requireEnvironment(db, organizationId, environmentId);
  const flag = await findFlag(db, organizationId, flagId, environmentId);
  if (flag === undefined) throw new ApiError('FLAG_NOT_FOUND');
  return flag;
}

/** Throws FLAG_ARCHIVED. */
export function requireUnarchived(flag: FlagState): FlagState {
  if (flag.status === 'archived') throw new ApiError('FLAG_ARCHIVED');
  return flag;
}

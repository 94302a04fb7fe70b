import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import { type EnvironmentRow, findEnvironment } from './environment-store.ts';

/**
 * Reads an environment that is not archived. Throws ENVIRONMENT_NOT_FOUND also for an environment of another
 * organization, so that callers cannot find out that it exists.
 */
export async function requireEnvironment(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<EnvironmentRow> {
  const row = await findEnvironment(db, organizationId, id);
  if (row === undefined || row.archived_at !== null) throw new ApiError('ENVIRONMENT_NOT_FOUND');
  return row;
}

export type RequireEnvironment = typeof requireEnvironment;

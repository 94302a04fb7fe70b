import { ApiError } from '../../../http/errors.ts';
import type { Queryable } from '../../../storage/database.ts';
import { findServiceAccount, type ServiceAccountRow } from './service-account-store.ts';

/** Reads a service account. Throws SERVICE_ACCOUNT_NOT_FOUND. */
export async function requireServiceAccount(
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<ServiceAccountRow> {
  const row = await findServiceAccount(db, organizationId, id);
  if (row === undefined) throw new ApiError('SERVICE_ACCOUNT_NOT_FOUND');
  return row;
}

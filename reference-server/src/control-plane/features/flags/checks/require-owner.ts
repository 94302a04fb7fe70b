import { invalid } from '../../../../http/errors.ts';
import type { Tx } from '../../../../storage/database.ts';
import type { FlagState } from '../flag-state.ts';
import type { ProjectLookups } from '../project-lookups.ts';

/** Throws VALIDATION_ERROR unless the owner is a member of the organization, or null for no owner. */
export async function requireOwner(
  tx: Tx,
  { isMember }: Pick<ProjectLookups, 'isMember'>,
  { organizationId, ownerId }: Pick<FlagState, 'organizationId' | 'ownerId'>,
): Promise<void> {
  if (ownerId === null || (await isMember(tx, organizationId, ownerId))) return;
  throw invalid({ field: 'owner_id', location: 'body', code: 'unknown', message: 'is not a member' });
}

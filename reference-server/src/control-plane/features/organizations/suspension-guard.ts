import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Guard, GuardedChange } from '../../write-gate/guard.ts';

/**
 * Refuses with ORGANIZATION_SUSPENDED (403) every change in an organization that is not active. Login, reading and export
 * stay possible, and SDKs are served as before.
 */
export const suspensionGuard: Guard = { name: 'organization-active', check: requireActiveOrganization };

async function requireActiveOrganization(tx: Tx, { actor, action }: GuardedChange): Promise<undefined> {
  if (actor.kind === 'system' || /^(auth|export)\./.test(action)) return undefined;
  const organization = await tx
    .selectFrom('organizations')
    .select('status')
    .where('id', '=', actor.organizationId)
    .executeTakeFirst();
  if (organization === undefined || organization.status === 'active') return undefined;
  throw new ApiError('ORGANIZATION_SUSPENDED', { details: { status: organization.status } });
}

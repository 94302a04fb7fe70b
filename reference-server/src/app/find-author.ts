import { findMember } from '../control-plane/features/members/member-store.ts';
import type { FindAuthor } from '../control-plane/features/scheduled-changes/run-due.ts';
import {
  findServiceActor,
  isServiceAccountId,
} from '../control-plane/features/service-accounts/service-actor.ts';
import { toCurrentRights, userActor } from '../control-plane/features/users/current-rights.ts';
import type { Database } from '../storage/database.ts';

/** Finds the author of a scheduled change (a member or a service account) with the author's current rights. */
export function createFindAuthor(db: Database): FindAuthor {
  return async ({ id: requestId, organization_id: organizationId, created_by: id }) => {
    const origin = { via: 'schedule', requestId, ip: null, userAgent: null } as const;
    if (isServiceAccountId(id)) return findServiceActor(db, { organizationId, id }, origin);
    const member = await findMember(db, organizationId, id);
    if (member === undefined || member.disabled_at !== null) return undefined;
    const user = { id, email: member.email, organizationId };
    return userActor({ user, rights: toCurrentRights(member), origin });
  };
}

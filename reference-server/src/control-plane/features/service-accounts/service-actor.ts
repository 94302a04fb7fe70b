import type { Queryable } from '../../../storage/database.ts';
import type { Actor, Origin, ServiceAccountKind } from '../../access/actor.ts';
import type { Scope } from '../../access/scopes.ts';
import { toCurrentRights } from '../users/current-rights.ts';
import { findServiceAccount, type ServiceAccountRow } from './service-account-store.ts';

/** The actor for a request whose token has the given scopes, or for a scheduled change (`scopes` is null). */
export function serviceActor(row: ServiceAccountRow, scopes: readonly Scope[] | null, origin: Origin): Actor {
  return {
    kind: row.kind as ServiceAccountKind,
    id: row.id,
    email: null,
    name: row.name,
    organizationId: row.organization_id,
    ...toCurrentRights(row),
    sessionId: null,
    scopes,
    origin,
  };
}

export function isServiceAccountId(actorId: string): boolean {
  return actorId.startsWith('svc_');
}

/** The actor for a service account that acts later, with its current rights; undefined when it is disabled or gone. */
export async function findServiceActor(
  db: Queryable,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
  origin: Origin,
): Promise<Actor | undefined> {
  const row = await findServiceAccount(db, organizationId, id);
  return row === undefined || row.disabled_at !== null ? undefined : serviceActor(row, null, origin);
}

import { ApiError } from '../../http/errors.ts';
import type { Guard } from '../audit/apply-change.ts';
import { reachOf } from '../freeze-windows/change-reach.ts';
import { listCritical } from './service-account-store.ts';

/**
 * Refuses, by AGENT_NOT_ALLOWED (403), what an agent would change of a critical environment, or of what is served there.
 * Drafts are served nowhere, so an agent may prepare what a person then activates.
 */
export const requirePersonForCritical: Guard = async (tx, change) => {
  const { actor, plan } = change;
  if (actor.kind !== 'agent') return undefined;
  const { served } = await reachOf(tx, change);
  const reached = [plan.resource.environmentId, ...served.map(({ id }) => id)].filter((id) => id != null);
  const [critical] = await listCritical(tx, reached);
  if (critical === undefined) return undefined;
  throw new ApiError('AGENT_NOT_ALLOWED', { details: { environment_id: critical.id } });
};

import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Guard, GuardedChange } from '../../write-gate/guard.ts';
import { configuredEnvironments } from '../freeze-windows/affected-environments.ts';

/**
 * Refuses with AGENT_NOT_ALLOWED (403) an agent's change that configures a critical environment. A draft without
 * configuration there is allowed, because a person activates it.
 */
export const agentGuard: Guard = { name: 'agent-critical-environment', check: requirePerson };

async function requirePerson(tx: Tx, change: GuardedChange): Promise<undefined> {
  if (change.actor.kind !== 'agent') return undefined;
  const environments = await configuredEnvironments(tx, change);
  const critical = environments.find((environment) => environment.critical === 1);
  if (critical === undefined) return undefined;
  throw new ApiError('AGENT_NOT_ALLOWED', { details: { environment_id: critical.id } });
}

import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Guard, GuardedChange } from '../../write-gate/guard.ts';
import { touchedEnvironments } from '../freeze-windows/change-reach.ts';

/**
 * Refuses changes by agents to a critical environment, or to what it serves, with AGENT_NOT_ALLOWED (403). An agent may
 * prepare a draft without configuration for such an environment; a person then activates it.
 */
export const agentGuard: Guard = { name: 'agent-critical-environment', check: requirePerson };

async function requirePerson(tx: Tx, change: GuardedChange): Promise<undefined> {
  if (change.actor.kind !== 'agent') return undefined;
  const critical = (await touchedEnvironments(tx, change)).find((environment) => environment.critical === 1);
  if (critical === undefined) return undefined;
  throw new ApiError('AGENT_NOT_ALLOWED', { details: { environment_id: critical.id } });
}

import type { GateVerdict, PlannedChange } from '../../http/dry-run.ts';
import { ApiError } from '../../http/errors.ts';
import type { Plan } from './change.ts';
import type { Changes } from './diff.ts';
import { servedEnvironments } from './reach.ts';

/** What the guards say of a change: free, or the error that it would be refused with. */
export async function verdictOf(asked: Promise<unknown>): Promise<GateVerdict> {
  try {
    await asked;
    return { allowed: true, code: null, message: null, details: {} };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, details } = error;
    return { allowed: false, code, message, details };
  }
}

/** A planned change as a dry run shows it. */
export function describePlan(
  action: string,
  plan: Plan<unknown>,
  changes: Changes,
  gate: GateVerdict,
): PlannedChange {
  const { resource, warnings = [] } = plan;
  const { type, id, key = null, environmentId = null } = resource;
  return {
    action,
    resource: { type, id, key, environment_id: environmentId },
    changes,
    environment_ids: [...servedEnvironments(plan)],
    warnings: [...warnings],
    gate,
  };
}

export const isRefused = ({ gate }: PlannedChange): boolean => !gate.allowed;

/** A change of which nothing is known but why it would be refused. */
export function refusedPlan(action: string, { code, message, details }: ApiError): PlannedChange {
  const gate = { allowed: false, code, message, details };
  return { action, resource: null, changes: {}, environment_ids: [], warnings: [], gate };
}

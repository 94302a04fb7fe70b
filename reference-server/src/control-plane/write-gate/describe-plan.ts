import type { GateVerdict, PlannedChange } from '../../http/dry-run.ts';
import { ApiError } from '../../http/errors.ts';
import type { Plan } from './change.ts';
import type { Changes } from './diff.ts';
import { servedEnvironments } from './reach.ts';

/** The verdict of the guards: allowed, or the error that refuses the change. */
export async function verdictOf(checks: Promise<unknown>): Promise<GateVerdict> {
  try {
    await checks;
    return { allowed: true, code: null, message: null, details: {} };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message, details } = error;
    return { allowed: false, code, message, details };
  }
}

/** A planned change as an item of a dry run's answer. */
export function describePlan(
  action: string,
  plan: Plan<unknown>,
  { changes, gate }: { readonly changes: Changes; readonly gate: GateVerdict },
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

/** The entry of a dry run for a change that was refused before it had a plan. */
export function refusedPlan(action: string, { code, message, details }: ApiError): PlannedChange {
  const gate = { allowed: false, code, message, details };
  return { action, resource: null, changes: {}, environment_ids: [], warnings: [], gate };
}

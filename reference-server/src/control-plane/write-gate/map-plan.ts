import type { Tx } from '../../storage/database.ts';
import type { Plan } from './change.ts';

/** A plan that does the same and returns another result. */
export function mapPlan<From, To>(
  plan: Plan<From>,
  map: (result: From) => To,
  action = plan.action,
): Plan<To> {
  const { replayable: _, ...rest } = plan;
  return {
    ...rest,
    ...(action !== undefined && { action }),
    write: async (tx: Tx) => map(await plan.write(tx)),
  };
}

import type { Tx } from '../../storage/database.ts';
import type { Plan } from './change.ts';

/** A plan that makes the same change, but whose result is converted with `map`. It has no `replayable`. */
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

import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Fields } from '../diff.ts';
import type { Guard, GuardedChange } from '../guard.ts';
import { servedEnvironments } from '../reach.ts';

/**
 * Refuses with LIMIT_EXCEEDED (422) a change that would make an environment's ruleset larger than `bytesMax`, because
 * such a ruleset would be stored but could never be served. Estimates the new size from the size served now, plus what
 * this change and the earlier ones of the transaction add.
 */
export function createRulesetSizeGuard(deps: {
  /** Size in bytes of the served ruleset; undefined when it has not been compiled yet. */
  readonly sizeOf: (environmentId: string) => number | undefined;
  readonly bytesMax: number;
}): Guard {
  const { sizeOf, bytesMax } = deps;
  /** Bytes that each open transaction has added, by environment id. */
  const addedIn = new WeakMap<Tx, Map<string, number>>();

  async function requireRoom(tx: Tx, { plan }: GuardedChange): Promise<undefined> {
    const environmentIds = servedEnvironments(plan);
    if (environmentIds.length === 0) return;
    const added = bytesOf(plan.after) - bytesOf(plan.before);
    const sums = addedIn.get(tx) ?? new Map<string, number>();
    addedIn.set(tx, sums);
    for (const environmentId of environmentIds) {
      const size = (sizeOf(environmentId) ?? 0) + (sums.get(environmentId) ?? 0);
      if (added <= 0 || size + added <= bytesMax) continue;
      throw new ApiError('LIMIT_EXCEEDED', {
        message: `The ruleset of an environment has ${size} of at most ${bytesMax} bytes; this change would add ${added} bytes.`,
        details: { limit: 'ruleset_bytes', maximum: bytesMax, environment_id: environmentId, added },
      });
    }
    for (const environmentId of environmentIds) {
      sums.set(environmentId, (sums.get(environmentId) ?? 0) + added);
    }
  }

  return { name: 'ruleset-size', check: requireRoom };
}

/** Bytes of a flag in one environment. If the fields contain several configurations, the largest counts. */
function bytesOf(fields: Fields | null): number {
  if (fields === null) return 0;
  const { environments, ...shared } = fields;
  const configurations = Object.values((environments ?? {}) as Fields).map(lengthOf);
  return lengthOf(shared) + Math.max(0, ...configurations);
}

function lengthOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

import { ApiError } from '../../../http/errors.ts';
import type { Tx } from '../../../storage/database.ts';
import type { Fields } from '../diff.ts';
import type { Guard } from '../gate.ts';

/**
 * Refuses, by LIMIT_EXCEEDED (422), what would make an environment's ruleset longer than it may be: such a one would
 * be stored, and never be served. It goes by the length that is served now and by what the change adds, together with
 * what the changes before it in the same transaction add.
 */
export function createRulesetSizeGuard(deps: {
  /** Bytes that are served now; undefined when nobody has asked for them. */
  readonly sizeOf: (environmentId: string) => number | undefined;
  readonly bytesMax: number;
}): Guard {
  const { sizeOf, bytesMax } = deps;
  /** Bytes by environment that are added and not served yet. */
  const unserved = new WeakMap<Tx, Map<string, number>>();
  return async (tx, { plan: { before, after, environmentIds = [] } }) => {
    if (environmentIds.length === 0) return undefined;
    const added = bytesOf(after) - bytesOf(before);
    const sums = unserved.get(tx) ?? new Map<string, number>();
    unserved.set(tx, sums);
    for (const environmentId of environmentIds) {
      const size = (sizeOf(environmentId) ?? 0) + (sums.get(environmentId) ?? 0);
      if (added <= 0 || size + added <= bytesMax) continue;
      throw new ApiError('LIMIT_EXCEEDED', {
        message: `The ruleset of an environment has ${size} bytes, and may have ${bytesMax}: this would add ${added}.`,
        details: { limit: 'ruleset_bytes', maximum: bytesMax, environment_id: environmentId, added },
      });
    }
    for (const environmentId of environmentIds) {
      sums.set(environmentId, (sums.get(environmentId) ?? 0) + added);
    }
    return undefined;
  };
}

/** In one environment: what an import brings is shown in each, and the longest counts. */
function bytesOf(fields: Fields | null): number {
  if (fields === null) return 0;
  const { environments, ...shared } = fields;
  const configurations = Object.values((environments ?? {}) as Fields).map(lengthOf);
  return lengthOf(shared) + Math.max(0, ...configurations);
}

function lengthOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

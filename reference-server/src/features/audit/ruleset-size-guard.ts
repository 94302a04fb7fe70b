import { ApiError } from '../../http/errors.ts';
import type { Guard } from './apply-change.ts';

/**
 * Refuses, by LIMIT_EXCEEDED (422), what would make an environment's ruleset longer than it may be: such a one would
 * be stored, and never be served. It goes by the length that is served now and by what the change adds; what several
 * changes of one call add together is seen when it is published (decision 0041).
 */
export function createRulesetSizeGuard(deps: {
  /** Bytes that are served now; undefined when nobody has asked for them. */
  readonly sizeOf: (environmentId: string) => number | undefined;
  readonly bytesMax: number;
}): Guard {
  const { sizeOf, bytesMax } = deps;
  return async (_tx, { plan: { before, after, environmentIds = [] } }) => {
    let added: number | undefined;
    for (const environmentId of environmentIds) {
      const size = sizeOf(environmentId) ?? 0;
      // No body is as long as the other half.
      if (size < bytesMax / 2) continue;
      added ??= bytesOf(after) - bytesOf(before);
      if (added <= 0 || size + added <= bytesMax) continue;
      throw new ApiError('LIMIT_EXCEEDED', {
        message: `The ruleset of an environment has ${size} bytes, and may have ${bytesMax}: this would add ${added}.`,
        details: { limit: 'ruleset_bytes', maximum: bytesMax, environment_id: environmentId, added },
      });
    }
    return undefined;
  };
}

function bytesOf(fields: object | null): number {
  return fields === null ? 0 : Buffer.byteLength(JSON.stringify(fields));
}

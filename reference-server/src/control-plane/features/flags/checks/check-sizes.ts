import { limitExceeded } from '../../../../http/errors.ts';
import { LISTS_MAX, type UpdateFlagInput } from '../flag-schemas.ts';
import type { FlagState } from '../flag-state.ts';

/**
 * Throws LIMIT_EXCEEDED for a list that would have more entries than its maximum. The schema of a body cannot check
 * this, because instructions, merged rules and added tags change stored lists. A list that is already too long can
 * shrink but not grow.
 */
export function checkSizes(before: FlagState, input: UpdateFlagInput): void {
  const stored = {
    variations: before.variations,
    targeting_rules: before.rules,
    prerequisites: before.prerequisites,
    tags: before.tags,
  };
  for (const field of ['variations', 'targeting_rules', 'prerequisites', 'tags'] as const) {
    const maximum = LISTS_MAX[field];
    const size = input[field]?.length ?? 0;
    if (size > Math.max(maximum, stored[field].length)) throw limitExceeded({ limit: field, maximum, field });
  }
}

import type { Condition } from '@flagsvc/sdk-core';
import { patternStates } from '../../../data-plane/evaluate/pattern-states.ts';
import { ApiError } from '../../../http/errors.ts';

/**
 * Maximum number of states that the regular expressions of a flag in one environment, or of a segment, have in total.
 */
export const PATTERN_STATES_MAX = 10_000;

type Conditions = readonly Pick<Condition, 'operator' | 'value'>[];

/** Counts the pattern states of one flag in one environment, or of one segment. */
export interface PatternAllowance {
  /** Counts a valid pattern; throws REGEX_INVALID when the total exceeds the maximum. */
  take(pattern: string, field: string): void;
}

/**
 * Stored conditions from an older version can have more states than `most`. Their present total is then the limit, so
 * that they can shrink but not grow.
 */
export function createPatternAllowance(
  stored: Conditions = [],
  most: number = PATTERN_STATES_MAX,
): PatternAllowance {
  const maximum = Math.max(most, statesIn(stored));
  let states = 0;
  return {
    take(pattern, field) {
      states += patternStates(pattern);
      if (states <= maximum) return;
      throw new ApiError('REGEX_INVALID', {
        message:
          `The regular expressions here have more than ${maximum} states in total, with repetitions multiplied out. ` +
          'Simplify them or use fewer.',
        details: { field, limit: 'pattern_states', maximum },
      });
    },
  };
}

function statesIn(conditions: Conditions): number {
  let states = 0;
  for (const { operator, value } of conditions)
    if (operator === 'matches_regex' && typeof value === 'string') states += patternStates(value);
  return states;
}

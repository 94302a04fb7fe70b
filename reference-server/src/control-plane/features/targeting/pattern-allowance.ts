import type { Condition } from '@flagsvc/sdk-core';
import { patternStates } from '../../../data-plane/evaluate/pattern-states.ts';
import { ApiError } from '../../../http/errors.ts';

/** States that the regular expressions of a flag in one environment, or of a segment, may have together. */
export const PATTERN_STATES_MAX = 10_000;

type Asked = readonly Pick<Condition, 'operator' | 'value'>[];

/** Counts the states of the conditions of one flag, or one segment. */
export interface PatternAllowance {
  /** Throws REGEX_INVALID when a valid pattern makes it too many. */
  take(pattern: string, field: string): void;
}

/** What stands already may have more states, from a version without this bound: it may become less, and not more. */
export function createPatternAllowance(
  before: Asked = [],
  most: number = PATTERN_STATES_MAX,
): PatternAllowance {
  const maximum = Math.max(most, statesIn(before));
  let states = 0;
  return {
    take(pattern, field) {
      states += patternStates(pattern);
      if (states <= maximum) return;
      throw new ApiError('REGEX_INVALID', {
        message:
          `There is room for ${maximum} states of regular expressions here, repetitions multiplied out, and these ` +
          'have more: make them smaller, or use fewer.',
        details: { field, limit: 'pattern_states', maximum },
      });
    },
  };
}

function statesIn(conditions: Asked): number {
  let states = 0;
  for (const { operator, value } of conditions)
    if (operator === 'matches_regex' && typeof value === 'string') states += patternStates(value);
  return states;
}

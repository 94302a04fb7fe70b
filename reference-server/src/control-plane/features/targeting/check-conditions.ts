import { type Condition, type Operator, patternFault } from '@flagsvc/sdk-core';
import { ApiError, fieldFault, invalid, limitExceeded } from '../../../http/errors.ts';
import type { ConditionInput } from './condition-schema.ts';
import { explainPattern } from './explain-pattern.ts';
import type { PatternAllowance } from './pattern-allowance.ts';
import { createProbe } from './probe.ts';

const VALUES_MAX = 1_000;
const VALUE_LENGTH_MAX = 1_024;
/** The longest pattern that `patternFault` accepts. */
const PATTERN_LENGTH_MAX = 512;

/** The position of a list of conditions in the body, and the names to which it can refer. */
export interface ConditionScope {
  /** Path of the list, such as `targeting_rules.0.conditions`. */
  readonly field: string;
  /** Keys of the project's segments; absent for the conditions of a segment, which cannot refer to segments. */
  readonly segmentKeys?: ReadonlySet<string>;
  /** Counts pattern states, shared with other lists of the same flag. */
  readonly patterns: PatternAllowance;
}

/**
 * Checks that each value suits its operator and can match something. Returns the conditions as they are stored, with
 * references to segments as `one_of` or `not_one_of`.
 */
export function checkConditions(
  conditions: readonly ConditionInput[],
  { field, segmentKeys, patterns }: ConditionScope,
): readonly Condition[] {
  return conditions.map((condition, index) => {
    const { attribute, operator, value } = condition;
    const conditionField = `${field}.${index}`;
    const valueField = `${conditionField}.value`;
    checkSize(value, valueField);
    if (attribute === '$segment') return segmentCondition(condition, conditionField, segmentKeys);
    if (attribute.startsWith('$')) {
      throw invalid({
        field: `${conditionField}.attribute`,
        location: 'body',
        code: 'reserved',
        message: 'must not begin with $',
      });
    }
    checkValue(operator, value, valueField);
    if (operator === 'matches_regex') patterns.take(String(value), valueField);
    return { attribute, operator, value };
  });
}

function checkSize(value: ConditionInput['value'], field: string): void {
  const values = Array.isArray(value) ? value : [value];
  if (values.length > VALUES_MAX) {
    throw limitExceeded({ field, limit: 'values', maximum: VALUES_MAX });
  }
  if (values.some((one) => typeof one === 'string' && one.length > VALUE_LENGTH_MAX)) {
    throw limitExceeded({ field, limit: 'value_length', maximum: VALUE_LENGTH_MAX });
  }
}

function checkValue(operator: Operator, value: ConditionInput['value'], field: string): void {
  const wantsList = operator === 'one_of' || operator === 'not_one_of';
  if (Array.isArray(value) !== wantsList) {
    throw fieldFault('CONDITION_VALUE_INVALID', field, {
      operator,
      expected: wantsList ? 'a list' : 'one value',
    });
  }
  if (operator === 'matches_regex') {
    requirePattern(value, field);
    return;
  }
  const [extreme, expected] = EXTREMES[operator] ?? [];
  if (extreme !== undefined && !createProbe(operator, value)(extreme)) {
    throw fieldFault('CONDITION_VALUE_INVALID', field, { operator, expected });
  }
}

/** Throws REGEX_INVALID, with the reason, for a pattern outside the dialect of `matches_regex`. */
export function requirePattern(pattern: unknown, field: string): void {
  const isText = typeof pattern === 'string';
  const position = isText ? patternFault(pattern) : 0;
  if (position < 0) return;
  if (isText && [...pattern].length > PATTERN_LENGTH_MAX) {
    throw new ApiError('REGEX_INVALID', {
      message: `A regular expression has at most ${PATTERN_LENGTH_MAX} characters.`,
      details: { field, position, maximum: PATTERN_LENGTH_MAX },
    });
  }
  const reason = isText ? explainPattern(pattern, position) : 'it must be a string.';
  throw new ApiError('REGEX_INVALID', {
    message: `The regular expression is outside the supported dialect: ${reason}`,
    details: { field, position },
  });
}

/** For each operator, an extreme attribute value: if a condition does not match this value, it cannot match any. */
const EXTREMES: Partial<Record<Operator, readonly [attribute: string | number, expected: string]>> = {
  gt: [Number.MAX_VALUE, 'a number'],
  lt: [-Number.MAX_VALUE, 'a number'],
  version_gt: ['9'.repeat(VALUE_LENGTH_MAX + 1), 'a semantic version'],
  version_lt: ['0.0.0-0', 'a semantic version'],
};

const MEMBERSHIP: Partial<Record<Operator, Operator>> = {
  is: 'one_of',
  one_of: 'one_of',
  is_not: 'not_one_of',
  not_one_of: 'not_one_of',
};

function segmentCondition(
  { operator, value }: ConditionInput,
  field: string,
  segmentKeys: ReadonlySet<string> | undefined,
): Condition {
  if (segmentKeys === undefined) throw fieldFault('SEGMENT_NESTING', `${field}.attribute`);
  const stored = MEMBERSHIP[operator];
  const keys = Array.isArray(value) ? value : [value];
  const isList = operator === stored;
  if (
    stored === undefined ||
    Array.isArray(value) !== isList ||
    keys.some((key) => typeof key !== 'string')
  ) {
    throw fieldFault('CONDITION_VALUE_INVALID', `${field}.value`, { operator, expected: 'segment keys' });
  }
  const unknown = keys.filter((key) => !segmentKeys.has(String(key)));
  if (unknown.length > 0) throw fieldFault('SEGMENT_UNKNOWN', `${field}.value`, { segments: unknown });
  return { attribute: '$segment', operator: stored, value: keys };
}

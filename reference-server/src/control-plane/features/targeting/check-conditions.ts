import {
  type Condition,
  createEvaluator,
  type Evaluator,
  type Operator,
  patternFault,
} from '@flagsvc/sdk-core';
import type { ErrorCode } from '../../../http/error-codes.ts';
import { ApiError, type ErrorDetails, invalid, limitExceeded } from '../../../http/errors.ts';
import type { ConditionInput } from './condition-schema.ts';
import { explainPattern } from './explain-pattern.ts';
import { createPatternAllowance, type PatternAllowance } from './pattern-allowance.ts';

const VALUES_MAX = 1_000;
const VALUE_LENGTH_MAX = 1_024;
/** What `patternFault` takes. */
const PATTERN_LENGTH_MAX = 512;

/** Where a condition stands and what it may refer to. */
export interface ConditionScope {
  /** Path of the list inside the body, such as `targeting_rules.0.conditions`. */
  readonly field: string;
  /** Keys of the project's segments; absent inside a segment, which cannot refer to others. */
  readonly segmentKeys?: ReadonlySet<string>;
  /** Counts the patterns, of other lists too; absent: of this list alone. */
  readonly patterns?: PatternAllowance;
}

/**
 * Checks what a schema cannot: that each value fits its operator and can match at all. Returns the conditions as
 * they are stored: references to segments always as `one_of` / `not_one_of` (decisions/0007).
 */
export function checkConditions(
  conditions: readonly ConditionInput[],
  { field, segmentKeys, patterns = createPatternAllowance() }: ConditionScope,
): readonly Condition[] {
  return conditions.map(({ attribute, operator, value }, index) => {
    const at = `${field}.${index}`;
    checkSize(value, `${at}.value`);
    if (attribute === '$segment') return segmentCondition(operator, value, at, segmentKeys);
    if (attribute.startsWith('$')) {
      throw invalid({
        field: `${at}.attribute`,
        location: 'body',
        code: 'reserved',
        message: 'must not begin with $',
      });
    }
    checkValue(operator, value, `${at}.value`);
    if (operator === 'matches_regex') patterns.take(String(value), `${at}.value`);
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
    throw fault('CONDITION_VALUE_INVALID', field, {
      operator,
      expected: wantsList ? 'a list' : 'one value',
    });
  }
  if (operator === 'matches_regex') {
    requirePattern(value, field);
    return;
  }
  const [extreme, expected] = EXTREMES[operator] ?? [];
  if (extreme !== undefined && !matches(operator, value, extreme)) {
    throw fault('CONDITION_VALUE_INVALID', field, { operator, expected });
  }
}

/** Throws REGEX_INVALID for what is outside the dialect of `matches_regex`, and says why. */
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
  const why = isText ? explainPattern(pattern, position) : 'it must be a text.';
  throw new ApiError('REGEX_INVALID', {
    message: `The regular expression is outside the supported dialect: ${why}`,
    details: { field, position },
  });
}

/** What matches every value that makes sense for the operator: if it does not, nothing ever will. */
const EXTREMES: Partial<Record<Operator, readonly [attribute: string | number, expected: string]>> = {
  gt: [Number.MAX_VALUE, 'a number'],
  lt: [-Number.MAX_VALUE, 'a number'],
  version_gt: ['9'.repeat(VALUE_LENGTH_MAX + 1), 'a semantic version'],
  version_lt: ['0.0.0-0', 'a semantic version'],
};

/** Asks the one evaluator, so that what is a number or a version is written down only there. */
function matches(operator: Operator, value: ConditionInput['value'], attribute: string | number): boolean {
  return asksFor(probing(operator, value), attribute);
}

function asksFor(evaluator: Evaluator, attribute: string | number): boolean {
  return evaluator.evaluate('probe', { attributes: { probe: attribute } }).value === true;
}

/** Its flag `probe` is true where the condition holds for the attribute `probe`. */
function probing(operator: Operator, value: ConditionInput['value']): Evaluator {
  const rule = {
    id: 'probe',
    priority: 0,
    conditions: [{ attribute: 'probe', operator, value }],
    variation: 'yes',
  };
  const flag = {
    key: 'probe',
    flag_type: 'boolean' as const,
    enabled: true,
    variations: [
      { key: 'yes', value: true },
      { key: 'no', value: false },
    ],
    default_variation: 'no',
    targeting_rules: [rule],
  };
  return createEvaluator({ version: 0, environment_id: '', flags: [flag], segments: [], fetched_at: '' });
}

/** The pattern that was asked for last: an import asks one for each of its flags. */
let last: { readonly pattern: string; readonly evaluator: Evaluator } | undefined;

/** Whether a text matches a pattern of the dialect of `matches_regex`. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (last?.pattern !== pattern) last = { pattern, evaluator: probing('matches_regex', pattern) };
  return asksFor(last.evaluator, text);
}

const MEMBERSHIP: Partial<Record<Operator, Operator>> = {
  is: 'one_of',
  one_of: 'one_of',
  is_not: 'not_one_of',
  not_one_of: 'not_one_of',
};

function segmentCondition(
  operator: Operator,
  value: ConditionInput['value'],
  field: string,
  segmentKeys: ReadonlySet<string> | undefined,
): Condition {
  if (segmentKeys === undefined) throw fault('SEGMENT_NESTING', `${field}.attribute`, {});
  const normal = MEMBERSHIP[operator];
  const keys = Array.isArray(value) ? value : [value];
  const isList = operator === normal;
  if (
    normal === undefined ||
    Array.isArray(value) !== isList ||
    keys.some((key) => typeof key !== 'string')
  ) {
    throw fault('CONDITION_VALUE_INVALID', `${field}.value`, { operator, expected: 'segment keys' });
  }
  const unknown = keys.filter((key) => !segmentKeys.has(String(key)));
  if (unknown.length > 0) throw fault('SEGMENT_UNKNOWN', `${field}.value`, { segments: unknown });
  return { attribute: '$segment', operator: normal, value: keys };
}

/** A semantic error at one place of the body. */
export function fault(code: ErrorCode, field: string, details: ErrorDetails): ApiError {
  return new ApiError(code, { details: { field, ...details } });
}

/**
 * Conditions, prepared once and tested often. A missing attribute, a value of the wrong shape and an unknown operator
 * never match, whether the operator is positive or negative, so errors never widen an audience (EV-54 to EV-64).
 */
import type { Condition, Context } from '../protocol/protocol.ts';
import { isScalar } from '../protocol/value-types.ts';
import { comparedTexts, NEVER, operationOf, type PreparedTest, testScalar, textOf } from './operators.ts';

export type Attributes = NonNullable<Context['attributes']>;

/** A prepared condition. Conditions that must all match form a linked list, which is faster to walk than an array. */
export interface PreparedCondition extends PreparedTest {
  readonly condition: Condition;
  readonly attribute: string;
  readonly isNegative: boolean;
  /** For `$segment`: the existing segments that the condition names; undefined for any other attribute. */
  readonly segments: readonly PreparedSegment[] | undefined;
  readonly next: PreparedCondition | undefined;
}

/** The first condition of a segment; undefined for a segment without conditions, which contains every user. */
export type PreparedSegment = PreparedCondition | undefined;
export type SegmentsByKey = ReadonlyMap<string, PreparedSegment>;

// Engines need two calls for `Object.hasOwn`, and one for this.
const hasOwn = Object.prototype.hasOwnProperty;

/** An attribute's value. Reads own properties only; `user_key` falls back to the context's user key. */
export const read = (attributes: Attributes, name: string, context: Context): unknown =>
  hasOwn.call(attributes, name) ? attributes[name] : name === 'user_key' ? userOf(context) : undefined;

/** The user key; undefined when there is none or it cannot be read. */
export const userOf = (context: Context): string | undefined => {
  try {
    const { user_key } = context;
    return typeof user_key === 'string' ? user_key : undefined;
  } catch {
    return undefined;
  }
};

/** The unit that a rollout buckets, as a text; empty or undefined if it is not assigned (EV-126 to EV-128). */
export const unitOf = (by: string, attributes: Attributes, context: Context): string | undefined => {
  if (by === 'user_key') return userOf(context);
  const value = read(attributes, by, context);
  return isScalar(value) ? textOf(value) : undefined;
};

/**
 * Prepares conditions that must all match. Without `segments`, `$segment` never matches, because segments do not nest.
 */
export const prepareConditions = (
  conditions: readonly Condition[],
  segments?: SegmentsByKey,
): PreparedCondition | undefined => {
  return conditions.reduceRight<PreparedCondition | undefined>((next, condition) => {
    const { attribute, operator, value } = condition;
    const operation = operationOf(operator);
    const operand = operation.parse(value);
    const isSegment = attribute === '$segment';
    const keys = isSegment ? comparedTexts(operation, operand) : undefined;
    const members = segments && keys?.filter((key) => segments.has(key)).map((key) => segments.get(key));
    const isUsable = (isSegment ? members : operand) !== undefined;
    const { test, isNegative = false } = isUsable ? operation : NEVER;
    return { condition, attribute, test, operand, isNegative, segments: members, next };
  }, undefined);
};

/** Whether the condition matches a value. A list is tested element by element; a missing value never matches. */
const matches = (condition: PreparedCondition, value: unknown): boolean => {
  const { isNegative } = condition;
  if (isScalar(value)) return testScalar(condition, value) !== isNegative;
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++)
    if (isScalar(value[i]) && testScalar(condition, value[i])) return !isNegative;
  return isNegative;
};

/** Whether the condition matches a context. This is the evaluator's innermost loop. */
const isMet = (condition: PreparedCondition, attributes: Attributes, context: Context): boolean => {
  const { attribute, segments, isNegative } = condition;
  if (segments !== undefined) return isMember(segments, attributes, context) !== isNegative;
  const value = read(attributes, attribute, context);
  // Most attributes are strings.
  if (typeof value === 'string') return testScalar(condition, value) !== isNegative;
  return matches(condition, value);
};

/** The first condition that does not match, or undefined. */
export const firstUnmet = (
  first: PreparedCondition | undefined,
  attributes: Attributes,
  context: Context,
): PreparedCondition | undefined => {
  let condition = first;
  // Comparing with undefined is faster than testing for truth.
  while (condition !== undefined && isMet(condition, attributes, context)) condition = condition.next;
  return condition;
};

/**
 * Whether the user is in one of the segments. A separate function, because in `isMet` the closure would cause an
 * allocation at every call.
 */
const isMember = (segments: readonly PreparedSegment[], attributes: Attributes, context: Context): boolean =>
  segments.some((first) => !firstUnmet(first, attributes, context));

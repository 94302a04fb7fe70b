import {
  type Condition,
  type ConditionTrace,
  type Context,
  createEvaluator,
  type Evaluator,
  type Flag,
  type Ruleset,
} from '@flagsvc/sdk-core';
import { LIST_SUFFIX } from './edited-ruleset.ts';

/** Whether a user is in a segment, and the conditions that were tested. */
export interface SegmentTest {
  readonly key: string;
  readonly isIn: boolean;
  /** False: the ruleset has no such segment, so nobody is in it. */
  readonly exists: boolean;
  /** True when the user is in by the list of keys. */
  readonly isListed: boolean;
  readonly conditions: readonly ConditionTrace[];
}

export type SegmentReader = (key: string, context: Context) => SegmentTest;

/** The segments that a condition names, without those that the server compiled from lists. */
export function segmentKeysOf({ value }: Condition): readonly string[] {
  const keys = (Array.isArray(value) ? value : [value]).map(String);
  return keys.filter((key) => !key.endsWith(LIST_SUFFIX));
}

/** Tests users against the segments of a ruleset, with the evaluator that SDKs use. */
export function createSegmentReader(ruleset: Ruleset): SegmentReader {
  const evaluator = createEvaluator({ ...ruleset, flags: ruleset.segments.map(asFlag), segments: [] });
  const known = new Set(ruleset.segments.map(({ key }) => key));
  return (key, context) => {
    const own = isIn(evaluator, key, context);
    const list = key + LIST_SUFFIX;
    const isListed = known.has(list) && isIn(evaluator, list, context).isIn;
    return { key, isIn: own.isIn || isListed, exists: known.has(key), isListed, conditions: own.conditions };
  };
}

/** A flag that is on for the members of a segment. */
const asFlag = ({ key, conditions }: Ruleset['segments'][number]): Flag => ({
  key,
  flag_type: 'boolean',
  enabled: true,
  variations: [
    { key: 'in', value: true },
    { key: 'out', value: false },
  ],
  default_variation: 'out',
  targeting_rules: [{ id: 'rule_members', priority: 0, conditions, variation: 'in' }],
});

function isIn(evaluator: Evaluator, key: string, context: Context) {
  const { result, rules } = evaluator.explain(key, context);
  return { isIn: result.variation_key === 'in', conditions: rules[0]?.conditions ?? [] };
}

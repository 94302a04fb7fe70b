/** Prepares a flag for evaluation: sorts its rules and creates every result that it can give. */

import type {
  BucketRange,
  Context,
  EvaluationResult,
  Flag,
  Prerequisite,
  Reason,
  TargetingRule,
} from '../protocol/protocol.ts';
import { type Bucketing, HASH_START, hashOn } from './bucket.ts';
import {
  type Attributes,
  type PreparedCondition,
  prepareConditions,
  type SegmentsByKey,
} from './conditions.ts';
import type { Range } from './explanation.ts';
import { frozenCopy } from './frozen-copy.ts';
import { isUnitBucketing } from './ruleset.ts';

/** A prepared targeting rule. A flag's rules form a linked list, as a rule's conditions do. */
export interface PreparedRule extends Bucketing {
  readonly id: string;
  /** The first condition; undefined for a rule without conditions, which matches everyone. */
  readonly conditions: PreparedCondition | undefined;
  readonly next: PreparedRule | undefined;
  /** What the rollout buckets: `user_key` or, in revision 3, possibly an attribute. */
  readonly by: string;
  /** The gates of revision 3. */
  readonly gates: readonly PreparedGate[];
  /** The rollout's entries or ranges, each with its buckets and its result; undefined without a rollout. */
  readonly rollout: readonly { readonly range: Range; readonly result: EvaluationResult }[] | undefined;
  /** The result that the rule serves. A rule with a rollout serves it to users whose bucket is in no range. */
  readonly result: EvaluationResult;
}

/** A gate: units whose bucket under the gate's salt is outside of the range are served the default variation. */
export interface PreparedGate extends Bucketing, BucketRange {
  readonly salt: string;
}

/** Finds the first rule that matches a context without testing all rules. */
export type RuleIndex = (attributes: Attributes, context: Context) => PreparedRule | undefined;

/** Builds the index of a flag's rules, which are sorted and prepared; undefined if testing them all is as fast. */
export type CreateRuleIndex = (
  rules: readonly TargetingRule[],
  prepared: PreparedRule | undefined,
) => RuleIndex | undefined;

/** A prepared flag. */
export interface PreparedFlag {
  readonly defaultResult: EvaluationResult;
  /** The result if a prerequisite does not hold. */
  readonly blockedResult: EvaluationResult;
  /** Undefined when there are none. */
  readonly prerequisites: readonly Prerequisite[] | undefined;
  /** The first rule; undefined when there are none. */
  readonly rules: PreparedRule | undefined;
  readonly index: RuleIndex | undefined;
  readonly find: Preparation['find'];
}

/** The parts of a ruleset that preparing a flag needs. */
export interface Preparation {
  readonly segments: SegmentsByKey;
  /** Finds a prerequisite's flag. */
  readonly find: (flagKey: string) => PreparedFlag;
  readonly createRuleIndex?: CreateRuleIndex;
}

/** Prepares a flag that `parseRuleset` would accept. */
export const prepareFlag = (flag: Flag, { segments, find, createRuleIndex }: Preparation): PreparedFlag => {
  const { enabled, default_variation, prerequisites } = flag;
  // Results are shared, so their values are frozen.
  const variations = flag.variations.map(({ key, value }) => ({ key, value: frozenCopy(value) }));
  /** The result with that variation; the default result if the variation does not exist. */
  const resultOf = (
    variationKey: string | null | undefined,
    reason: Reason,
    rule_id: string | null = null,
  ): EvaluationResult => {
    const variation = variations.find(({ key }) => key === variationKey);
    if (!variation) return defaultResult;
    return Object.freeze({ value: variation.value, reason, rule_id, variation_key: variation.key });
  };
  const defaultResult = resultOf(default_variation, enabled ? 'DEFAULT' : 'DISABLED');
  const sorted = enabled ? [...(flag.targeting_rules ?? [])].sort((a, b) => a.priority - b.priority) : [];
  const rules = sorted.reduceRight<PreparedRule | undefined>((next, rule) => {
    const { id, conditions, variation, bucketing } = rule;
    const units = rule.percentage_rollout && isUnitBucketing(bucketing) ? bucketing : undefined;
    const bucketingOf = (salt: string): Bucketing => ({
      prefix: hashOn(HASH_START, `${salt}:`),
      bucketing: units ? 2 : bucketing,
      bucketCount: units ? 10_000 : 100,
    });
    let to = 0;
    const entries = rule.percentage_rollout?.map((entry) => {
      const from = to;
      to += entry.percentage;
      return { ...entry, from, to };
    });
    const rollout = (units?.ranges ?? entries)?.map((range) => ({
      range,
      result: resultOf(range.variation, 'PERCENTAGE_ROLLOUT', id),
    }));
    return {
      id,
      conditions: prepareConditions(conditions, segments),
      next,
      ...bucketingOf(units?.salt ?? flag.key),
      by: units?.by ?? 'user_key',
      gates: (units?.gates ?? []).map((gate) => ({ ...gate, ...bucketingOf(gate.salt) })),
      rollout,
      result: rollout ? defaultResult : resultOf(variation, 'TARGETING_RULE', id),
    };
  }, undefined);
  return {
    defaultResult,
    blockedResult: resultOf(default_variation, 'PREREQUISITE'),
    prerequisites: enabled && prerequisites?.length ? prerequisites : undefined,
    rules,
    index: createRuleIndex?.(sorted, rules),
    find,
  };
};

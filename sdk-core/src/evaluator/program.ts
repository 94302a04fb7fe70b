/** A flag, prepared once: its rules in order, and every result that it can give. */

import type {
  Context,
  EvaluationResult,
  Flag,
  Prerequisite,
  Reason,
  TargetingRule,
} from '../protocol/protocol.ts';
import { hashOn } from './bucket.ts';
import { type Attributes, prepareAll, type Segments, type Step } from './conditions.ts';
import type { Range } from './explanation.ts';
import { frozenCopy } from './frozen-copy.ts';

/** A targeting rule, prepared; a flag's rules are a chain, as conditions are. */
export interface Rule {
  readonly id: string;
  /** Its conditions, prepared; undefined where there are none. */
  readonly first: Step | undefined;
  readonly next: Rule | undefined;
  readonly bucketing: unknown;
  /** The buckets of each entry of the rollout; undefined without one. */
  readonly ranges: readonly Range[] | undefined;
  /** What it serves without a rollout. */
  readonly result: EvaluationResult;
  /** What it serves to each range. */
  readonly results: readonly EvaluationResult[] | undefined;
}

/** Finds the first rule that matches a context without walking them all. */
export type RuleIndex = (attributes: Attributes, context: Context) => Rule | undefined;

/** Builds the index of a flag's sorted rules, and of the same prepared; undefined where walking them is as good. */
export type CreateRuleIndex = (
  rules: readonly TargetingRule[],
  first: Rule | undefined,
) => RuleIndex | undefined;

/** A flag, prepared. */
export interface Program {
  readonly byDefault: EvaluationResult;
  readonly blocked: EvaluationResult;
  /** Undefined when there are none. */
  readonly prerequisites: readonly Prerequisite[] | undefined;
  /** The first of its rules, in order of evaluation. */
  readonly first: Rule | undefined;
  readonly index: RuleIndex | undefined;
  /** Hash of the flag's key and the colon. */
  readonly prefix: number;
}

/** The buckets of each entry of a rollout, one after the other. */
function rangesOf({ percentage_rollout }: TargetingRule): readonly Range[] | undefined {
  let to = 0;
  return percentage_rollout?.map((entry) => {
    const from = to;
    to += entry.percentage;
    return { ...entry, from, to };
  });
}

/** Prepares a sound flag. */
export function createProgram(flag: Flag, segments: Segments, createRuleIndex?: CreateRuleIndex): Program {
  const { enabled, default_variation } = flag;
  const variations = flag.variations.map(({ key, value }) => ({
    key,
    // Results are shared, and the host must not reach into them.
    value: frozenCopy(value),
  }));
  const serve = (
    variation_key: TargetingRule['variation'],
    reason: Reason,
    rule_id: string | null = null,
  ): EvaluationResult => {
    const variation = variations.find(({ key }) => key === variation_key);
    if (!variation) return byDefault;
    return Object.freeze({ value: variation.value, reason, rule_id, variation_key: variation_key! });
  };
  const byDefault = serve(default_variation, enabled ? 'DEFAULT' : 'DISABLED');
  const sorted = [...((enabled && flag.targeting_rules) || [])].sort((a, b) => a.priority - b.priority);
  const first = sorted.reduceRight<Rule | undefined>((next, rule) => {
    const { id, bucketing } = rule;
    const ranges = rangesOf(rule);
    return {
      id,
      first: prepareAll(rule.conditions, segments),
      next,
      bucketing,
      ranges,
      result: serve(rule.variation, 'TARGETING_RULE', id),
      results: ranges?.map((entry) => serve(entry.variation, 'PERCENTAGE_ROLLOUT', id)),
    };
  }, undefined);
  return {
    byDefault,
    blocked: serve(default_variation, 'PREREQUISITE'),
    prerequisites: enabled && flag.prerequisites?.length ? flag.prerequisites : undefined,
    first,
    index: createRuleIndex?.(sorted, first),
    prefix: hashOn(5381, `${flag.key}:`),
  };
}

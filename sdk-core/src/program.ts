/** A flag, prepared once: its rules in order, and every result that it can give. */
import { hashOn } from './bucket.ts';
import { type Attributes, prepare, type Segments, type Step } from './conditions.ts';
import type { Range } from './explanation.ts';
import type {
  Condition,
  Context,
  EvaluationResult,
  Flag,
  Prerequisite,
  Reason,
  TargetingRule,
} from './protocol.ts';

/** A targeting rule, prepared. */
export interface Rule {
  readonly id: string;
  readonly conditions: readonly Condition[];
  /** The conditions, prepared. */
  readonly steps: readonly Step[];
  readonly bucketing: unknown;
  /** The buckets of each entry of the rollout; undefined without one. */
  readonly ranges: readonly Range[] | undefined;
  /** What it serves: for each range, or one for everyone. */
  readonly results: readonly EvaluationResult[];
}

/** Finds the rules that a context may match without walking them all. It only rules out. */
export interface RuleIndex {
  /** Looks a context's attributes up, for `next`; the number stands for this until somebody looks up again. */
  lookUp(attributes: Attributes, context: Context): number;
  /**
   * The first rule from `from` on that is not ruled out; the number of rules when there is none. When a getter has
   * looked up somebody else meanwhile, nothing is ruled out.
   */
  next(from: number, lookedUp: number): number;
}

/** Builds the index of a flag's sorted rules; undefined where walking them is as good. */
export type CreateRuleIndex = (rules: readonly TargetingRule[]) => RuleIndex | undefined;

/** A flag, prepared. */
export interface Program {
  readonly byDefault: EvaluationResult;
  readonly blocked: EvaluationResult;
  readonly prerequisites: readonly Prerequisite[];
  readonly rules: readonly Rule[];
  readonly index: RuleIndex | undefined;
  /** Hash of the flag's key and the colon. */
  readonly prefix: number;
}

/** A copy that nobody can change: results are shared, and the host must not reach into them. */
const frozen = <T>(value: T): T =>
  typeof value === 'object' ? JSON.parse(JSON.stringify(value), (_, part) => Object.freeze(part)) : value;

/** Prepares a sound flag. */
export function createProgram(flag: Flag, segments: Segments, createRuleIndex?: CreateRuleIndex): Program {
  const { enabled, default_variation } = flag;
  const variations = flag.variations.map(({ key, value }) => ({ key, value: frozen(value) }));
  const serve = (variation_key: unknown, reason: Reason, rule_id: string | null = null): EvaluationResult => {
    const variation = variations.find(({ key }) => key === variation_key);
    if (!variation) return byDefault;
    return Object.freeze({ value: variation.value, reason, rule_id, variation_key: variation.key });
  };
  const byDefault = serve(default_variation, enabled ? 'DEFAULT' : 'DISABLED');
  const rules = [...((enabled && flag.targeting_rules) || [])].sort((a, b) => a.priority - b.priority);
  return {
    byDefault,
    blocked: serve(default_variation, 'PREREQUISITE'),
    prerequisites: (enabled && flag.prerequisites) || [],
    rules: rules.map(({ id, conditions, variation, percentage_rollout, bucketing }) => {
      let from = 0;
      const ranges = percentage_rollout?.map((entry): Range => {
        const range = { ...entry, from, to: from + entry.percentage };
        from = range.to;
        return range;
      });
      const results = ranges
        ? ranges.map((entry) => serve(entry.variation, 'PERCENTAGE_ROLLOUT', id))
        : [serve(variation, 'TARGETING_RULE', id)];
      const steps = conditions.map((condition) => prepare(condition, segments));
      return { id, conditions, steps, bucketing, ranges, results };
    }),
    index: createRuleIndex?.(rules),
    prefix: hashOn(5381, `${flag.key}:`),
  };
}

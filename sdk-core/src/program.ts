/** A flag, prepared once: the steps of its walk, and every result that it can give. */
import { hashOn } from './bucket.ts';
import { type Attributes, prepare, SERVE, type Segments, type Step } from './conditions.ts';
import type { Range } from './explanation.ts';
import type { Context, EvaluationResult, Flag, Prerequisite, Reason, TargetingRule } from './protocol.ts';

/** What a rule serves. */
export interface Outcome {
  /** For each range, or one for everyone. */
  readonly results: readonly EvaluationResult[];
  /** Undefined without a rollout. */
  readonly ranges: readonly Range[] | undefined;
  readonly bucketing: unknown;
}

/** Finds the rules that a context may match without walking them all. It only rules out. */
export interface RuleIndex {
  /** Looks a context's attributes up, for `next`. */
  lookUp(attributes: Attributes, context: Context): void;
  /** The first rule from `from` on that is not ruled out; the number of rules when there is none. */
  next(from: number): number;
}

/** Builds the index of a flag's sorted rules; undefined where walking them is as good. */
export type CreateRuleIndex = (rules: readonly TargetingRule[]) => RuleIndex | undefined;

/** A flag, prepared. */
export interface Program {
  /** The answer to everyone, if there is only one. */
  readonly fixed: EvaluationResult | undefined;
  readonly byDefault: EvaluationResult;
  readonly blocked: EvaluationResult;
  readonly prerequisites: readonly Prerequisite[];
  readonly rules: readonly TargetingRule[];
  /** The conditions of each rule, then its outcome (ask `SERVE`); behind the last rule the default. */
  readonly steps: readonly Step[];
  /** The first step of each rule, and of the default. */
  readonly starts: readonly number[];
  readonly index: RuleIndex | undefined;
  /** Hash of the flag's key and the colon. */
  readonly prefix: number;
  /** The evaluation that decided this flag last, and what came out; undefined while it is under way. */
  call: number;
  memo: EvaluationResult | undefined;
}

/** A copy that nobody can change: results are shared, and the host must not reach into them. */
const frozen = <T>(value: T): T =>
  typeof value === 'object' ? JSON.parse(JSON.stringify(value), (_, part) => Object.freeze(part)) : value;

/** Prepares a sound flag. */
export function createProgram(flag: Flag, segments: Segments, createRuleIndex?: CreateRuleIndex): Program {
  const { enabled, variations, default_variation } = flag;
  const serve = (variation_key: unknown, reason: Reason, rule_id: string | null = null): EvaluationResult => {
    const variation = variations.find(({ key }) => key === variation_key);
    if (!variation) return byDefault;
    return Object.freeze({ value: frozen(variation.value), reason, rule_id, variation_key: variation.key });
  };
  const byDefault = serve(default_variation, enabled ? 'DEFAULT' : 'DISABLED');
  const prerequisites = (enabled && flag.prerequisites) || [];
  const rules = [...((enabled && flag.targeting_rules) || [])].sort((a, b) => a.priority - b.priority);

  const steps: Step[] = [];
  const starts = rules.map(({ id, conditions, variation, percentage_rollout: rollout, bucketing }, rule) => {
    const start = steps.length;
    const behind = start + conditions.length + 1;
    let from = 0;
    const ranges = rollout?.map((entry): Range => {
      const range = { ...entry, from, to: from + entry.percentage };
      from = range.to;
      return range;
    });
    const results = ranges
      ? ranges.map((entry) => serve(entry.variation, 'PERCENTAGE_ROLLOUT', id))
      : [serve(variation, 'TARGETING_RULE', id)];
    steps.push(...conditions.map((condition) => prepare(condition, segments, rule, behind)));
    steps.push(ending({ results, ranges, bucketing }, rule));
    return start;
  });
  starts.push(steps.length);
  steps.push(ending({ results: [byDefault], ranges: undefined, bucketing: 1 }, rules.length));
  return {
    fixed: rules.length + prerequisites.length ? undefined : byDefault,
    byDefault,
    blocked: serve(default_variation, 'PREREQUISITE'),
    prerequisites,
    rules,
    steps,
    starts,
    index: createRuleIndex?.(rules),
    prefix: hashOn(5381, `${flag.key}:`),
    call: 0,
    memo: undefined,
  };
}

const ending = (operand: Outcome, rule: number): Step => ({
  ask: SERVE,
  attribute: '',
  operand,
  negative: false,
  result: operand.ranges ? undefined : operand.results[0],
  rule,
  behind: 0,
});

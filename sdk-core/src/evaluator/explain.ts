/** Explains a result: repeats the tests that led to it and records what each test compared. */
import type { Context } from '../protocol/protocol.ts';
import { bucketOn } from './bucket.ts';
import { type Attributes, firstUnmet, read, unitOf } from './conditions.ts';
import { attributesOf, type Decided, doesServe, evaluateFlag, isInRange } from './evaluate-flag.ts';
import type { ConditionTrace, Explanation, PrerequisiteTrace, RuleTrace } from './explanation.ts';
import type { PreparedFlag, PreparedRule } from './prepared-flag.ts';

/** The flag's result for a context, and the tests up to the one that decided it. Never throws. */
export const explain = (flag: PreparedFlag, flagKey: string, context: Context): Explanation => {
  const decided: Decided = new Map();
  const result = evaluateFlag(flag, context, decided);
  const prerequisites: PrerequisiteTrace[] = [];
  const rules: RuleTrace[] = [];
  const explanation = { flag_key: flagKey, result, prerequisites, rules };
  for (const { flag_key, variation } of flag.prerequisites ?? []) {
    const needed = flag.find(flag_key);
    const served = decided.get(needed) ?? evaluateFlag(needed, context);
    const holds = doesServe(served, variation);
    prerequisites.push({ flag_key, variation, holds, result: served });
    if (!holds) return explanation;
  }
  try {
    const attributes = attributesOf(context);
    for (let rule = flag.rules; rule; rule = rule.next) {
      const trace = traceRule(rule, attributes, context);
      rules.push(trace);
      if (trace.matched) break;
    }
  } catch {
    // Reading the context threw, so the default variation was served.
  }
  return explanation;
};

/** What each condition of a rule compared, up to the first that does not match. */
const traceRule = (rule: PreparedRule, attributes: Attributes, context: Context): RuleTrace => {
  const { id, rollout, by, conditions: first } = rule;
  const unmet = firstUnmet(first, attributes, context);
  const conditions: ConditionTrace[] = [];
  for (let step = first; step; step = step === unmet ? undefined : step.next) {
    const { condition, attribute } = step;
    const actual = attribute === '$segment' ? undefined : read(attributes, attribute, context);
    conditions.push({ condition, actual, matched: step !== unmet });
  }
  const trace = { rule_id: id, matched: !unmet, conditions };
  if (unmet || !rollout) return trace;
  const unit = unitOf(by, attributes, context);
  const gates = rule.gates.map((gate) => {
    const { salt, from, to } = gate;
    const bucket = bucketOn(gate, unit);
    return { salt, from, to, bucket, passed: isInRange(gate, bucket) };
  });
  return {
    ...trace,
    by,
    unit,
    bucket: bucketOn(rule, unit),
    gates,
    ranges: rollout.map(({ range }) => range),
  };
};

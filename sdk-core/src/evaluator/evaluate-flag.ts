/**
 * Evaluates one prepared flag: prerequisites first, then rules. These are module functions rather than closures of an
 * evaluator, so that all evaluators share the engine's compiled code.
 */
import type { Context, EvaluationResult } from '../protocol/protocol.ts';
import { bucketOn } from './bucket.ts';
import { type Attributes, firstUnmet, type PreparedCondition, read, userOf } from './conditions.ts';
import type { ConditionTrace, RuleTrace, Trace } from './explanation.ts';
import type { PreparedFlag, PreparedRule } from './prepared-flag.ts';
import { isRecord } from './ruleset.ts';

/** Results of the flags that prerequisites led to. A flag that is being evaluated counts as blocked. */
export type Decided = Map<PreparedFlag, EvaluationResult>;

/** What evaluations of several flags share, and where one is recorded. */
export interface EvaluationScope {
  readonly decided?: Decided;
  readonly trace?: Trace;
}

const NO_ATTRIBUTES: Attributes = {};

/** The flag's result for a context. Never throws: the default variation is served if reading the context throws. */
export function evaluateFlag(
  flag: PreparedFlag,
  context: Context,
  scope?: EvaluationScope,
): EvaluationResult {
  const { rules, prerequisites, defaultResult } = flag;
  if (rules === undefined && prerequisites === undefined) return defaultResult;
  try {
    const own = context?.attributes;
    const attributes = isRecord(own) ? own : NO_ATTRIBUTES;
    return prerequisites === undefined
      ? evaluateRules(withTrace(flag, scope?.trace), attributes, context)
      : evaluateWithPrerequisites(flag, { attributes, context, ...scope });
  } catch {
    // Flags that were being evaluated are forgotten, so that each gives what it would give alone.
    scope?.decided?.clear();
    return defaultResult;
  }
}

/** The flag itself; with a trace, a copy that records every test, and therefore has no index. */
const withTrace = (flag: PreparedFlag, trace: Trace | undefined): PreparedFlag =>
  trace === undefined ? flag : { ...flag, index: undefined, trace };

/** The first rule whose conditions all match decides. An index finds it without testing every rule. */
function evaluateRules(flag: PreparedFlag, attributes: Attributes, context: Context): EvaluationResult {
  const { index, trace } = flag;
  let rule = flag.rules;
  if (index !== undefined) rule = index(attributes, context);
  else
    for (; rule !== undefined; rule = rule.next) {
      const unmet = firstUnmet(rule.conditions, attributes, context);
      if (trace !== undefined) trace.rules.push(traceRule(rule, unmet, { attributes, context }));
      if (unmet === undefined) break;
    }
  if (rule === undefined) return flag.defaultResult;
  return rule.rollout === undefined ? rule.result : serveRollout(rule, context);
}

/** The result of the entry that holds the user's bucket; the default result when there is none. */
function serveRollout(rule: PreparedRule, context: Context): EvaluationResult {
  const bucket = bucketOn(rule, userOf(context));
  if (bucket !== undefined)
    for (const { range, result } of rule.rollout!) if (bucket < range.to) return result;
  return rule.result;
}

/** What a rule did; `unmet` is its first condition that did not match. */
function traceRule(
  rule: PreparedRule,
  unmet: PreparedCondition | undefined,
  { attributes, context }: { attributes: Attributes; context: Context },
): RuleTrace {
  const conditions: ConditionTrace[] = [];
  for (let step = rule.conditions; step; step = step === unmet ? undefined : step.next) {
    const { condition, attribute } = step;
    const actual = attribute === '$segment' ? undefined : read(attributes, attribute, context);
    conditions.push({ condition, actual, matched: step !== unmet });
  }
  const trace = { rule_id: rule.id, matched: !unmet, conditions };
  if (unmet || !rule.rollout) return trace;
  return {
    ...trace,
    bucket: bucketOn(rule, userOf(context)),
    ranges: rule.rollout.map(({ range }) => range),
  };
}

/** What `evaluateWithPrerequisites` works with. */
interface PrerequisiteScope extends EvaluationScope {
  readonly attributes: Attributes;
  readonly context: Context;
}

/** A flag that is being evaluated, and how many of its prerequisites hold so far. */
interface Frame {
  readonly flag: PreparedFlag;
  holding: number;
}

/**
 * Evaluates a flag after its prerequisites. Each flag is evaluated once per call, and a flag that leads back to itself
 * is blocked. The stack is a list, so no chain of prerequisites is too long for it. It belongs to the call, so an
 * attribute's getter may evaluate flags too (EV-117 to EV-123).
 */
function evaluateWithPrerequisites(
  flag: PreparedFlag,
  { attributes, context, decided = new Map(), trace }: PrerequisiteScope,
): EvaluationResult {
  const stack: Frame[] = [];
  const enter = (entered: PreparedFlag): void => {
    decided.set(entered, entered.blockedResult);
    stack.push({ flag: entered, holding: 0 });
  };
  if (!decided.has(flag)) enter(flag);
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    const { flag: current, holding } = frame;
    const ownTrace = current === flag ? trace : undefined;
    const prerequisite = current.prerequisites?.[holding];
    let result: EvaluationResult | undefined;
    if (!prerequisite) result = evaluateRules(withTrace(current, ownTrace), attributes, context);
    else {
      const { flag_key, variation } = prerequisite;
      const needed = current.find(flag_key);
      const served = decided.get(needed);
      if (!served) enter(needed);
      else {
        const holds = doesServe(served, variation);
        ownTrace?.prerequisites.push({ flag_key, variation, holds, result: served });
        if (holds) frame.holding++;
        else result = current.blockedResult;
      }
    }
    if (result) {
      decided.set(current, result);
      stack.pop();
    }
  }
  return decided.get(flag)!;
}

/** Whether a prerequisite's result is the variation it must serve, from a flag that is neither disabled nor blocked. */
const doesServe = ({ variation_key, reason }: EvaluationResult, variation: string): boolean =>
  variation_key === variation && reason !== 'DISABLED' && reason !== 'PREREQUISITE';

/**
 * Evaluates one prepared flag: prerequisites first, then rules. These are module functions and not closures of an
 * evaluator, so that all evaluators share the code that the engine compiles.
 */
import type { BucketRange, Context, EvaluationResult } from '../protocol/protocol.ts';
import { bucketOn } from './bucket.ts';
import { type Attributes, firstUnmet, unitOf } from './conditions.ts';
import type { PreparedFlag, PreparedRule } from './prepared-flag.ts';
import { isRecord } from './ruleset.ts';

/**
 * Results of flags evaluated as prerequisites. While a flag is still being evaluated, its blocked result stands in for
 * its result.
 */
export type Decided = Map<PreparedFlag, EvaluationResult>;

const NO_ATTRIBUTES: Attributes = {};

/** The context's attributes; none if they are not an object. Throws if reading the context throws. */
export const attributesOf = (context: Context): Attributes => {
  const own = context?.attributes;
  return isRecord(own) ? own : NO_ATTRIBUTES;
};

/**
 * The flag's result for a context. Never throws: the default variation is served if reading the context throws.
 * Evaluations that share `decided` evaluate each prerequisite once.
 */
export const evaluateFlag = (flag: PreparedFlag, context: Context, decided?: Decided): EvaluationResult => {
  const { rules, prerequisites, defaultResult } = flag;
  if (rules === undefined && prerequisites === undefined) return defaultResult;
  try {
    const attributes = attributesOf(context);
    return prerequisites === undefined
      ? evaluateRules(flag, attributes, context)
      : evaluateWithPrerequisites(flag, { attributes, context, decided: decided ?? new Map() });
  } catch {
    // Forgets flags whose evaluation was interrupted, so that each of them gets the result that `evaluate` gives for it
    // alone.
    decided?.clear();
    return defaultResult;
  }
};

/** The first rule whose conditions all match decides. An index finds it without testing every rule. */
const evaluateRules = (flag: PreparedFlag, attributes: Attributes, context: Context): EvaluationResult => {
  const { index } = flag;
  let rule = flag.rules;
  if (index !== undefined) rule = index(attributes, context);
  else
    for (; rule !== undefined; rule = rule.next) {
      const unmet = firstUnmet(rule.conditions, attributes, context);
      if (unmet === undefined) break;
    }
  if (rule === undefined) return flag.defaultResult;
  return rule.rollout === undefined ? rule.result : serveRollout(rule, attributes, context);
};

/** Whether a range contains a bucket; false for undefined. */
export const isInRange = ({ from, to }: BucketRange, bucket: number | undefined): boolean =>
  bucket! >= from && bucket! < to;

/**
 * The result of the first range that contains the unit's bucket; the default result if no range contains it, or if the
 * unit is outside a gate. The entries of a rollout are ranges too: `from` is the sum before an entry, so the first
 * entry whose sum exceeds the bucket contains it (EV-50).
 */
const serveRollout = (rule: PreparedRule, attributes: Attributes, context: Context): EvaluationResult => {
  const unit = unitOf(rule.by, attributes, context);
  for (const gate of rule.gates) if (!isInRange(gate, bucketOn(gate, unit))) return rule.result;
  const bucket = bucketOn(rule, unit);
  for (const { range, result } of rule.rollout!) if (isInRange(range, bucket)) return result;
  return rule.result;
};

/** The arguments of `evaluateWithPrerequisites` besides the flag. */
interface PrerequisiteScope {
  readonly attributes: Attributes;
  readonly context: Context;
  readonly decided: Decided;
}

/** A flag that is being evaluated, and how many of its prerequisites hold so far. */
interface Frame {
  readonly flag: PreparedFlag;
  holding: number;
}

/**
 * Evaluates a flag after its prerequisites. Each flag is evaluated once per call, and a flag that requires itself, even
 * indirectly, is blocked. An explicit stack allows chains of any length. It is local to the call, so an attribute's
 * getter may evaluate flags too (EV-117 to EV-123).
 */
const evaluateWithPrerequisites = (
  flag: PreparedFlag,
  { attributes, context, decided }: PrerequisiteScope,
): EvaluationResult => {
  const stack: Frame[] = [];
  const enter = (entered: PreparedFlag): void => {
    decided.set(entered, entered.blockedResult);
    stack.push({ flag: entered, holding: 0 });
  };
  if (!decided.has(flag)) enter(flag);
  // Not `at`, which older versions of Hermes lack.
  const last = (): Frame | undefined => stack[stack.length - 1];
  for (let frame = last(); frame; frame = last()) {
    const { flag: current, holding } = frame;
    const prerequisite = current.prerequisites?.[holding];
    let result: EvaluationResult | undefined;
    if (!prerequisite) result = evaluateRules(current, attributes, context);
    else {
      const { flag_key, variation } = prerequisite;
      const needed = current.find(flag_key);
      const served = decided.get(needed);
      if (!served) enter(needed);
      else if (doesServe(served, variation)) frame.holding++;
      else result = current.blockedResult;
    }
    if (result) {
      decided.set(current, result);
      stack.pop();
    }
  }
  return decided.get(flag)!;
};

/** Whether a prerequisite's flag serves the required variation, and is neither disabled nor blocked. */
export const doesServe = ({ variation_key, reason }: EvaluationResult, variation: string): boolean =>
  variation_key === variation && reason !== 'DISABLED' && reason !== 'PREREQUISITE';

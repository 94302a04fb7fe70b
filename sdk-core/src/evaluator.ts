import { bucketOn, shareHash } from './bucket.ts';
import { type Attributes, meets, prepare, read, SERVE, type Step, userOf } from './conditions.ts';
import type { Explanation, Trace } from './explanation.ts';
import { type CreateRuleIndex, createProgram, type Outcome, type Program } from './program.ts';
import type { Context, EvaluationResult, Ruleset } from './protocol.ts';
import { isRecord, soundFlags, soundSegments } from './ruleset.ts';

/**
 * Pure, synchronous evaluation of one ruleset. Nothing here throws, whatever the key or context. Results are
 * frozen and built once: the same outcome of a flag is the same object for the evaluator's life, and two flags
 * never share one (but for FLAG_NOT_FOUND), so that a counter can be kept per result.
 */
export interface Evaluator {
  readonly ruleset: Ruleset;
  /** One flag for one context. An unknown key gives value null and reason FLAG_NOT_FOUND. */
  evaluate(flagKey: string, context: Context): EvaluationResult;
  /** Every flag of the ruleset; a record without prototype, keyed by flag key. */
  evaluateAll(context: Context): Record<string, EvaluationResult>;
  /** The same as `evaluateAll` without building a record: calls `visit` once a flag, in the ruleset's order. */
  visitAll(context: Context, visit: (flagKey: string, result: EvaluationResult) => void): void;
  /** The same walk as `evaluate`, with what was compared and what came out. */
  explain(flagKey: string, context: Context): Explanation;
}

/** How an evaluator is made. */
export interface EvaluatorOptions {
  /** From the `rule-index` door: makes a flag's cost grow with the attributes that its rules ask about. */
  readonly createRuleIndex?: CreateRuleIndex;
}

/** What an unknown flag gives (decision 0015). */
const NOT_FOUND: EvaluationResult = /* @__PURE__ */ Object.freeze({
  value: null,
  reason: 'FLAG_NOT_FOUND',
  rule_id: null,
  variation_key: null,
});

const NOTHING = /* @__PURE__ */ Object.freeze({});

/** Stands for all flags that do not exist. */
const MISSING = /* @__PURE__ */ Object.freeze({ fixed: NOT_FOUND, byDefault: NOT_FOUND }) as Program;

function attributesOf(context: Context): Attributes {
  try {
    const { attributes } = context;
    return isRecord(attributes) ? attributes : NOTHING;
  } catch {
    return NOTHING;
  }
}

/**
 * The rules in order; the first whose conditions all match decides. An index only skips rules that cannot match,
 * and a trace sees every step.
 */
function walk(program: Program, attributes: Attributes, context: Context, trace?: Trace): EvaluationResult {
  const { steps, starts } = program;
  const index = trace ? undefined : program.index;
  index?.lookUp(attributes, context);
  let at = index ? starts[index.next(0)]! : 0;
  for (;;) {
    const step = steps[at]!;
    if (step.ask === SERVE) return trace || !step.result ? serve(program, step, context, trace) : step.result;
    const matched = meets(step, attributes, context);
    if (trace) traceStep(program, at, step.rule, matched, read(attributes, step.attribute, context), trace);
    if (matched) at++;
    else at = index ? starts[index.next(step.rule + 1)]! : step.behind;
  }
}

/** What the step's outcome is for the user; the default variation, if no bucket leads to another. */
function serve(
  { prefix, byDefault, rules }: Program,
  step: Step,
  context: Context,
  trace?: Trace,
): EvaluationResult {
  const { results, ranges, bucketing } = step.operand as Outcome;
  const user = userOf(context);
  const bucket = ranges && user ? bucketOn(prefix, user, bucketing) : undefined;
  const rule = trace && rules[step.rule];
  if (rule)
    trace.rules.push({
      rule_id: rule.id,
      matched: true,
      conditions: trace.conditions.splice(0),
      bucket,
      ranges,
    });
  if (!ranges) return results[0]!;
  for (let i = 0; i < ranges.length; i++) if (bucket! < ranges[i]!.to) return results[i]!;
  return byDefault;
}

/** Writes down what a condition compared and, if it did not match, that its rule ended there. */
function traceStep(
  { rules, starts }: Program,
  at: number,
  number: number,
  matched: boolean,
  actual: unknown,
  trace: Trace,
): void {
  const { id, conditions } = rules[number]!;
  trace.conditions.push({ condition: conditions[at - starts[number]!]!, actual, matched });
  if (!matched) trace.rules.push({ rule_id: id, matched, conditions: trace.conditions.splice(0) });
}

/**
 * Prepares a ruleset for evaluation ("Evaluation semantics"). Flags are prepared when they are first asked for,
 * so the ruleset must not be changed afterwards. Takes whatever it is given: a broken flag is unavailable, and
 * what is not a ruleset has no flags. `parseRuleset` tells what is wrong.
 */
export function createEvaluator(ruleset: Ruleset, options?: EvaluatorOptions): Evaluator {
  const flags = soundFlags(ruleset);
  const segments = new Map(
    Array.from(soundSegments(ruleset), ([key, { conditions }]) => [
      key,
      conditions.map((condition) => prepare(condition)),
    ]),
  );
  const programs = new Map<string, Program>();
  /** All of them, once all were asked for. */
  let everyone: (readonly [flagKey: string, program: Program])[] | undefined;
  /** How many evaluations there were; each marks what it decides with its number. */
  let calls = 0;

  /** Makes the program of a flag that is asked for the first time. */
  function prepareFlag(flagKey: string): Program {
    const flag = flags.get(flagKey);
    if (!flag) return MISSING;
    let program = MISSING;
    try {
      program = createProgram(flag, segments, options?.createRuleIndex);
    } catch {
      // A value that is no JSON after all: the flag is broken.
    }
    programs.set(flagKey, program);
    return program;
  }

  /**
   * Prerequisites, then rules. Each flag with prerequisites is decided once a call; one that meets itself on the way
   * is blocked (decision 0014). The way is a list and not the stack, so that no chain is too long for it.
   */
  function decide(
    program: Program,
    attributes: Attributes,
    context: Context,
    call: number,
    trace?: Trace,
  ): EvaluationResult {
    const way: { readonly program: Program; next: number }[] = [];
    const enter = (entered: Program): void => {
      entered.call = call;
      entered.memo = undefined;
      way.push({ program: entered, next: 0 });
    };
    if (program.call !== call) enter(program);
    for (let here = way.at(-1); here; here = way.at(-1)) {
      const asking = here.program;
      const seen = asking === program ? trace : undefined;
      const wanted = asking.prerequisites[here.next];
      const other = wanted && (programs.get(wanted.flag_key) ?? prepareFlag(wanted.flag_key));
      if (!other) {
        asking.memo = walk(asking, attributes, context, seen);
        way.pop();
      } else if (!other.fixed && other.prerequisites.length > 0 && other.call !== call) {
        enter(other);
      } else {
        const isPlain = !other.fixed && other.prerequisites.length === 0;
        const result = isPlain
          ? walk(other, attributes, context)
          : (other.fixed ?? other.memo ?? other.blocked);
        const { reason, variation_key } = result;
        const holds =
          variation_key === wanted.variation && reason !== 'DISABLED' && reason !== 'PREREQUISITE';
        seen?.prerequisites.push({ flag_key: wanted.flag_key, variation: wanted.variation, holds, result });
        here.next++;
        if (!holds) {
          asking.memo = asking.blocked;
          way.pop();
        }
      }
    }
    return program.memo ?? program.blocked;
  }

  /** Never throws, whatever hides behind the attributes: then the default variation is served. */
  function answer(
    program: Program,
    attributes: Attributes,
    context: Context,
    call: number,
    trace?: Trace,
  ): EvaluationResult {
    try {
      if (program.prerequisites.length) return decide(program, attributes, context, call, trace);
      return walk(program, attributes, context, trace);
    } catch {
      return program.byDefault;
    }
  }

  function evaluate(flagKey: string, context: Context): EvaluationResult {
    const program = programs.get(flagKey) ?? prepareFlag(flagKey);
    if (program.fixed !== undefined) return program.fixed;
    if (program.prerequisites.length > 0) return answer(program, attributesOf(context), context, ++calls);
    // The usual flag, with nothing between it and its walk.
    try {
      const { attributes } = context;
      return walk(program, isRecord(attributes) ? attributes : NOTHING, context);
    } catch {
      return answer(program, attributesOf(context), context, ++calls);
    }
  }

  /** All programs, ready for one context. */
  function prepareAll(context: Context): readonly (readonly [flagKey: string, program: Program])[] {
    everyone ??= Array.from(flags.keys(), (flagKey) => [
      flagKey,
      programs.get(flagKey) ?? prepareFlag(flagKey),
    ]);
    shareHash(userOf(context));
    return everyone;
  }

  function visitAll(context: Context, visit: (flagKey: string, result: EvaluationResult) => void): void {
    const attributes = attributesOf(context);
    const call = ++calls;
    for (const [flagKey, program] of prepareAll(context)) {
      visit(flagKey, program.fixed ?? answer(program, attributes, context, call));
    }
  }

  function evaluateAll(context: Context): Record<string, EvaluationResult> {
    const results: Record<string, EvaluationResult> = Object.create(null);
    const attributes = attributesOf(context);
    const call = ++calls;
    for (const [flagKey, program] of prepareAll(context)) {
      results[flagKey] = program.fixed ?? answer(program, attributes, context, call);
    }
    return results;
  }

  function explain(flagKey: string, context: Context): Explanation {
    const { conditions, ...trace }: Trace = { prerequisites: [], rules: [], conditions: [] };
    const program = programs.get(flagKey) ?? prepareFlag(flagKey);
    const own = attributesOf(context);
    const result = program.fixed ?? answer(program, own, context, ++calls, { ...trace, conditions });
    return { flag_key: flagKey, result, ...trace };
  }

  return { ruleset, evaluate, evaluateAll, visitAll, explain };
}

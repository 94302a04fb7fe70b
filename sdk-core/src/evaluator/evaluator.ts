import type { Context, EvaluationResult, Ruleset } from '../protocol/protocol.ts';
import { bucketOn, shareHash } from './bucket.ts';
import { type Attributes, firstUnmet, prepareAll, read, type Step, userOf } from './conditions.ts';
import type { ConditionTrace, Explanation, Range, RuleTrace, Trace } from './explanation.ts';
import { NOT_FOUND } from './not-found.ts';
import { type CreateRuleIndex, createProgram, type Program, type Rule } from './program.ts';
import { isRecord, soundItems } from './ruleset.ts';

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

const NOTHING: Attributes = {};

/** Stands for a flag that does not exist. */
const MISSING = { byDefault: NOT_FOUND } as Partial<Program> as Program;

/** What came out for the flags that one call has met; while one is under way, it is blocked. */
type Decided = Map<Program, EvaluationResult>;

/** What a rollout serves: the variation in whose range the user's bucket lies, else the default. */
function serve(program: Program, rule: Rule, ranges: readonly Range[], context: Context): EvaluationResult {
  const bucket = bucketOn(program.prefix, userOf(context), rule.bucketing);
  for (let i = 0; i < ranges.length; i++) if (bucket! < ranges[i]!.to) return rule.results![i]!;
  return program.byDefault;
}

/** What a rule did, of whose conditions `unmet` was the first that did not match. */
function traceOf(
  { prefix }: Program,
  { id, first, ranges, bucketing }: Rule,
  unmet: Step | undefined,
  attributes: Attributes,
  context: Context,
): RuleTrace {
  const conditions: ConditionTrace[] = [];
  for (let step = first; step; step = step === unmet ? undefined : step.next) {
    const { condition, attribute } = step;
    conditions.push({
      condition,
      actual: attribute === '$segment' ? undefined : read(attributes, attribute, context),
      matched: step !== unmet,
    });
  }
  const rollout = !unmet && ranges && { bucket: bucketOn(prefix, userOf(context), bucketing), ranges };
  return { rule_id: id, matched: !unmet, conditions, ...rollout };
}

/**
 * The rules in order; the first whose conditions all match decides. An index finds it without asking them all; a
 * trace sees every step.
 */
function walk(program: Program, attributes: Attributes, context: Context, trace?: Trace): EvaluationResult {
  const { index } = program;
  let rule = program.first;
  if (index !== undefined && trace === undefined) rule = index(attributes, context);
  else
    for (; rule !== undefined; rule = rule.next) {
      const unmet = firstUnmet(rule.first, attributes, context);
      if (trace !== undefined) trace.rules.push(traceOf(program, rule, unmet, attributes, context));
      if (unmet === undefined) break;
    }
  if (rule === undefined) return program.byDefault;
  const { ranges } = rule;
  return ranges === undefined ? rule.result : serve(program, rule, ranges, context);
}

/**
 * The programs of a ruleset's flags. What works on them stands outside of `createEvaluator`, so that all evaluators
 * share the machine's code for it.
 */
interface Programs {
  /** Of the flags that were asked for. */
  readonly known: ReadonlyMap<string, Program>;
  /** Makes the program of a flag that is asked for the first time. */
  readonly make: (flagKey: string) => Program;
}

function find(programs: Programs, flagKey: string): Program {
  return programs.known.get(flagKey) ?? programs.make(flagKey);
}

/** A flag on the way, the place of the prerequisite that it asks for, and the flag that asks for it. */
interface Asking {
  readonly program: Program;
  next: number;
  readonly back: Asking | undefined;
}

/**
 * Prerequisites, then rules. Each flag is decided once a call; one that meets itself on the way is blocked
 * (EV-117 to EV-123). The way is a list and not the stack, so that no chain is too long for it; nothing is kept in the
 * programs, so that a getter may evaluate meanwhile.
 */
function decide(
  programs: Programs,
  program: Program,
  attributes: Attributes,
  context: Context,
  decided: Decided,
  trace?: Trace,
): EvaluationResult {
  const enter = (program: Program, back?: Asking): Asking => {
    decided.set(program, program.blocked);
    return { program, next: 0, back };
  };
  let here = decided.has(program) ? undefined : enter(program);
  while (here) {
    const { program: asking, next, back }: Asking = here;
    const seen = asking === program ? trace : undefined;
    const wanted = asking.prerequisites?.[next];
    const other = wanted && find(programs, wanted.flag_key);
    let result: EvaluationResult | undefined;
    if (!other) result = walk(asking, attributes, context, seen);
    else if (!decided.has(other)) here = enter(other, here);
    else {
      const { flag_key, variation } = wanted;
      const served = decided.get(other)!;
      const { reason, variation_key } = served;
      const holds = variation_key === variation && reason !== 'DISABLED' && reason !== 'PREREQUISITE';
      seen?.prerequisites.push({ flag_key, variation, holds, result: served });
      if (holds) here.next++;
      else result = asking.blocked;
    }
    if (result) {
      decided.set(asking, result);
      here = back;
    }
  }
  return decided.get(program)!;
}

/** Never throws, whatever hides behind the context: then the default variation is served. */
function answer(
  programs: Programs,
  program: Program,
  context: Context,
  decided?: Decided,
  trace?: Trace,
): EvaluationResult {
  const { first, prerequisites, byDefault } = program;
  if (first === undefined && prerequisites === undefined) return byDefault;
  try {
    const own = context?.attributes;
    const attributes = isRecord(own) ? own : NOTHING;
    return prerequisites === undefined
      ? walk(program, attributes, context, trace)
      : decide(programs, program, attributes, context, decided ?? new Map(), trace);
  } catch {
    // What was under way is asked again by those who need it, as each would ask alone.
    decided?.clear();
    return byDefault;
  }
}

/**
 * Prepares a ruleset for evaluation ("Evaluation semantics"). Flags are prepared when they are first asked for,
 * so the ruleset must not be changed afterwards. Takes whatever it is given: a broken flag is unavailable, and
 * what is not a ruleset has no flags. `parseRuleset` tells what is wrong.
 */
export function createEvaluator(ruleset: Ruleset, options?: EvaluatorOptions): Evaluator {
  const flags = soundItems(ruleset, 'flags');
  const segments = new Map(
    [...soundItems(ruleset, 'segments')].map(([key, { conditions }]) => [key, prepareAll(conditions)]),
  );
  const known = new Map<string, Program>();
  const programs: Programs = {
    known,
    make(flagKey) {
      const flag = flags.get(flagKey);
      if (!flag) return MISSING;
      try {
        const program = createProgram(flag, segments, options?.createRuleIndex);
        known.set(flagKey, program);
        return program;
      } catch {
        // A value that is no JSON after all, or no room on the stack; only the first will be so the next time.
        return MISSING;
      }
    },
  };
  /** All of them, once all are made. */
  let everyone: { readonly flagKey: string; readonly program: Program }[] | undefined;

  function visitAll(context: Context, visit: (flagKey: string, result: EvaluationResult) => void): void {
    const decided: Decided = new Map();
    const all =
      everyone ?? [...flags.keys()].map((flagKey) => ({ flagKey, program: find(programs, flagKey) }));
    if (known.size === flags.size) everyone = all;
    shareHash(userOf(context));
    try {
      for (const { flagKey, program } of all) visit(flagKey, answer(programs, program, context, decided));
    } finally {
      // Nobody's key is kept.
      shareHash();
    }
  }

  return {
    ruleset,
    evaluate: (flagKey, context) => answer(programs, find(programs, flagKey), context),
    visitAll,
    evaluateAll(context) {
      const results: Record<string, EvaluationResult> = Object.create(null);
      visitAll(context, (flagKey, result) => {
        results[flagKey] = result;
      });
      return results;
    },
    explain(flagKey, context) {
      const trace: Trace = { prerequisites: [], rules: [] };
      const result = answer(programs, find(programs, flagKey), context, undefined, trace);
      return { flag_key: flagKey, result, ...trace };
    },
  };
}

/** Runs one vector against an evaluator and checks the results. */
import { performance } from 'node:perf_hooks';
import { decodeTagged, differences } from '../src/suite/json-value.ts';
import type { Suite, Vector } from '../src/suite/suite.ts';
import type { Surface } from './mutant.ts';

/** The part of sdk-core that vectors test. Mutants and trivial evaluators implement it. */
export interface Subject {
  createEvaluator(ruleset: unknown, options?: object): Evaluator;
  readonly createRuleIndex?: unknown;
}
interface Evaluator {
  evaluate(flag: string, context: unknown): unknown;
  evaluateAll?(context: unknown): Record<string, unknown>;
}

const NOT_FOUND = { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };

/** The factor for time limits, for busy machines: the limits need only distinguish linear from exponential time. */
const SLACK = 20;

/** A vector with its tags decoded. */
export interface Prepared {
  readonly id: string;
  readonly category: string;
  readonly ruleset: unknown;
  readonly calls: readonly {
    readonly flag: string;
    readonly context: unknown;
    readonly expect: object;
    readonly limitMs: number;
  }[];
}

/** Whether a vector tests time or size: its ruleset is a recipe, and it is not a chain of prerequisites. */
export const isForTime = ({ category, ruleset }: Pick<Vector, 'category' | 'ruleset'>): boolean =>
  category !== 'prerequisites' && JSON.stringify(ruleset).includes('"$repeat"');

/** The vectors to run against mutants: all except those that test time and size. */
export const vectorsForMutants = ({ vectors }: Suite): readonly Prepared[] =>
  vectors.filter((vector) => !isForTime(vector)).map(prepare);

const prepare = ({ id, category, ruleset, calls }: Vector): Prepared => ({
  id,
  category,
  ruleset: decodeTagged(ruleset),
  calls: calls.map(({ flag, context, expect, within_ms = Infinity }) => ({
    flag,
    context: decodeTagged(context),
    expect,
    limitMs: within_ms * SLACK,
  })),
});

/** Whether the subject returns every expected result of the vector in time and without throwing. */
export function passes(subject: Subject, { ruleset, calls }: Prepared, surface: Surface): boolean {
  try {
    const options = surface === 'index' ? { createRuleIndex: subject.createRuleIndex } : undefined;
    const evaluator = subject.createEvaluator(ruleset, options);
    if (surface === 'evaluateAll') {
      const isRight = calls.every(
        ({ flag, context, expect }) => differences(expect, oneOfAll(evaluator, flag, context)).length === 0,
      );
      if (!isRight) return false;
    }
    return calls.every(({ flag, context, expect, limitMs }) => {
      const started = performance.now();
      const result = evaluator.evaluate(flag, context);
      return differences(expect, result).length === 0 && performance.now() - started <= limitMs;
    });
  } catch {
    return false;
  }
}

/** `evaluateAll` leaves out flags that do not exist. */
function oneOfAll(evaluator: Evaluator, flag: string, context: unknown): unknown {
  const all = evaluator.evaluateAll!(context);
  return Object.hasOwn(all, flag) ? all[flag] : NOT_FOUND;
}

/** Runs a script made by `compile` and returns its exports. */
export function load(script: string): Subject {
  const module = { exports: {} as Subject };
  new Function('module', 'exports', script)(module, module.exports);
  return module.exports;
}

/** Asks an evaluator the vectors and tells which of them it fails. */
import { performance } from 'node:perf_hooks';
import { decodeTagged, differences } from '../src/suite/json-value.ts';
import type { Suite, Vector } from '../src/suite/suite.ts';
import type { Surface } from './mutant.ts';

/** What is asked of an evaluator, a mutant or a trivial one. */
export interface Subject {
  createEvaluator(ruleset: unknown, options?: object): Evaluator;
  readonly createRuleIndex?: unknown;
}
interface Evaluator {
  evaluate(flag: string, context: unknown): unknown;
  evaluateAll?(context: unknown): Record<string, unknown>;
}

const NOT_FOUND = { value: null, reason: 'FLAG_NOT_FOUND', rule_id: null, variation_key: null };

/** A limit tells linear from exponential time; a busy machine gets this many times as long. */
const SLACK = 20;

/** A vector with its tags replaced, once for many subjects. */
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

/** Rulesets are written as recipes for the sake of time and size, except chains, whose length is what they are about. */
export const isForTime = ({ category, ruleset }: Pick<Vector, 'category' | 'ruleset'>): boolean =>
  category !== 'prerequisites' && JSON.stringify(ruleset).includes('"$repeat"');

/** The vectors that mutants are asked. */
export const asked = ({ vectors }: Suite): readonly Prepared[] =>
  vectors.filter((vector) => !isForTime(vector)).map(prepare);

/** Replaces the tags. */
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

/** Whether the subject gives every expected result of the vector, without throwing and in time. */
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

/** Only own properties of the record are results; a flag that does not exist has none. */
function oneOfAll(evaluator: Evaluator, flag: string, context: unknown): unknown {
  const all = evaluator.evaluateAll!(context);
  return Object.hasOwn(all, flag) ? all[flag] : NOT_FOUND;
}

/** Reads a script that `compile` made. */
export function load(script: string): Subject {
  const module = { exports: {} as Subject };
  new Function('module', 'exports', script)(module, module.exports);
  return module.exports;
}

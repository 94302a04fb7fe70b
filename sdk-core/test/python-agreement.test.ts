import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Context, createEvaluator, type EvaluationResult, type Ruleset } from '../src/index.ts';
import { createRuleIndex } from '../src/rule-index.ts';

interface Pairs {
  readonly ruleset: Ruleset;
  readonly calls: readonly {
    readonly flag: string;
    readonly context: Context;
    readonly expect: EvaluationResult;
  }[];
}

const script = fileURLToPath(new URL('../../examples/python-evaluator/random_pairs.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
/** The number of calls to compare; `FLAGSVC_RANDOM_PAIRS` overrides it. */
const COUNT = Number(process.env['FLAGSVC_RANDOM_PAIRS'] ?? 100_000);

/** `FLAGSVC_SEED=7 npx vitest run sdk-core/test/python-agreement` repeats a run. */
const seed = Number(process.env['FLAGSVC_SEED'] ?? Date.now() % 1_000_000);

test.skipIf(!hasPython)(
  `agrees with the Python evaluator on ${COUNT} random pairs`,
  { timeout: 120_000 },
  () => {
    const { stdout, stderr } = spawnSync('python3', [script, '--seed', `${seed}`, '--count', `${COUNT}`], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    expect(stderr).toBe('');
    let compared = 0;
    for (const line of stdout.trim().split('\n')) {
      const { ruleset, calls } = JSON.parse(line) as Pairs;
      for (const evaluator of [createEvaluator(ruleset), createEvaluator(ruleset, { createRuleIndex })]) {
        for (const { flag, context, expect: expected } of calls) {
          const result = evaluator.evaluate(flag, context);
          if (JSON.stringify(result) !== JSON.stringify(expected)) {
            expect({ seed, flag, context, result, ruleset }).toEqual({
              seed,
              flag,
              context,
              result: expected,
              ruleset,
            });
          }
          expect(evaluator.explain(flag, context).result).toBe(result);
        }
      }
      compared += calls.length;
    }
    expect(compared).toBeGreaterThanOrEqual(COUNT);
  },
);

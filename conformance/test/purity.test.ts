/** Evaluation has no side effects, which single vectors cannot show: evaluators stay independent and leak no memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createEvaluator, type Ruleset } from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { expect, test } from 'vitest';
import { decodeTagged, differences, isObject } from '../src/suite/json-value.ts';
import { loadSuite } from '../src/suite/suite.ts';

const freeze = <T>(value: T): T => {
  if (Array.isArray(value) || isObject(value)) {
    for (const part of Object.values(value)) freeze(part);
    Object.freeze(value);
  }
  return value;
};

const small = loadSuite().vectors.filter(({ ruleset }) => !JSON.stringify(ruleset).includes('"$repeat"'));
const frozen = small.map(({ id, ruleset, calls }) => ({
  id,
  ruleset: freeze(decodeTagged(ruleset)) as Ruleset,
  calls: calls.map(({ flag, context, expect: expected }) => ({
    flag,
    context: freeze(decodeTagged(context)) as object,
    expected,
  })),
}));

test.each([
  ['without a rule index', undefined],
  ['with a rule index', { createRuleIndex }],
])('interleaved evaluators of frozen rulesets return the expected results, %s', (_, options) => {
  const loaded = frozen.map((vector) => ({ ...vector, evaluator: createEvaluator(vector.ruleset, options) }));
  const wrong = new Set<string>();
  const rounds = Math.max(...loaded.map(({ calls }) => calls.length));
  for (let round = 0; round < rounds; round++) {
    for (const { id, calls, evaluator } of loaded) {
      const call = calls[round];
      if (!call) continue;
      if (differences(call.expected, evaluator.evaluate(call.flag, call.context)).length) wrong.add(id);
    }
  }
  expect([...wrong]).toEqual([]);
});

test('a million evaluations leak no memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const loaded = frozen
    .filter(({ id }) => id.startsWith('purity-'))
    .map((vector) => ({ ...vector, evaluator: createEvaluator(vector.ruleset) }));
  const total = loaded.reduce((sum, { calls }) => sum + calls.length, 0);
  const evaluateAll = (times: number): void => {
    for (let round = 0; round < times / total; round++) {
      for (const { calls, evaluator } of loaded) {
        for (const { flag, context } of calls) evaluator.evaluate(flag, context);
      }
    }
  };
  const usedBytes = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  evaluateAll(100_000);
  const before = usedBytes();
  evaluateAll(1_000_000);
  expect((usedBytes() - before) / 2 ** 20).toBeLessThan(2);
});

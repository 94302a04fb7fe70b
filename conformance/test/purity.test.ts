/** What vectors that are asked one after another cannot show: evaluation changes nothing, keeps nothing and grows not. */
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
  ['as it is', undefined],
  ['with an index of rules', { createRuleIndex }],
])('evaluators of frozen rulesets answer frozen contexts right, all of them in turn, %s', (_, options) => {
  const asked = frozen.map((vector) => ({ ...vector, evaluator: createEvaluator(vector.ruleset, options) }));
  const wrong = new Set<string>();
  const rounds = Math.max(...asked.map(({ calls }) => calls.length));
  for (let round = 0; round < rounds; round++) {
    for (const { id, calls, evaluator } of asked) {
      const call = calls[round];
      if (!call) continue;
      if (differences(call.expected, evaluator.evaluate(call.flag, call.context)).length) wrong.add(id);
    }
  }
  expect([...wrong]).toEqual([]);
});

test('a million evaluations leave nothing in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const asked = frozen
    .filter(({ id }) => id.startsWith('purity-'))
    .map((vector) => ({ ...vector, evaluator: createEvaluator(vector.ruleset) }));
  const total = asked.reduce((sum, { calls }) => sum + calls.length, 0);
  const ask = (times: number): void => {
    for (let round = 0; round < times / total; round++) {
      for (const { calls, evaluator } of asked) {
        for (const { flag, context } of calls) evaluator.evaluate(flag, context);
      }
    }
  };
  const used = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  ask(100_000);
  const before = used();
  ask(1_000_000);
  expect((used() - before) / 2 ** 20).toBeLessThan(2);
});

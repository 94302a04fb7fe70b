// The cost of counting: compares client.flag() with evaluator.evaluate() for the same flags, in turn in one process.
// Run: node --conditions=@flagsvc/source sdk-node/bench/flag.bench.ts
import { type Context, createEvaluator, type Flag } from '@flagsvc/sdk-core';
import { createRuleIndex } from '@flagsvc/sdk-core/rule-index';
import { createTestFlag, createTestRuleset } from '@flagsvc/sdk-core/testing';
import { createNodeClient } from '@flagsvc/sdk-node';

const GOAL_NS = 25;
const ROUNDS = 41;
const CALLS = 200_000;

const rule = (more: Partial<Flag['targeting_rules'][number]>) => ({
  targeting_rules: [{ id: 'rule_1', priority: 1, conditions: [], variation: 'on', ...more }],
});
const is = { attribute: 'country', operator: 'is', value: 'DE' } as const;
const flags = [
  createTestFlag('no-rule', true),
  createTestFlag('one-is', true, rule({ conditions: [is] })),
  createTestFlag(
    'rollout',
    true,
    rule({
      percentage_rollout: [
        { variation: 'on', percentage: 50 },
        { variation: 'off', percentage: 50 },
      ],
    }),
  ),
  createTestFlag('text', 'a text'),
];
const contexts: Context[] = Array.from({ length: 1000 }, (_, i) => ({
  user_key: `user-${i}`,
  attributes: { country: i % 2 ? 'DE' : 'FR' },
}));

const ruleset = createTestRuleset(flags);
const evaluator = createEvaluator(ruleset, { createRuleIndex });
const client = createNodeClient({
  apiKey: 'sdk-dev-bench',
  baseUrl: 'http://127.0.0.1:9/api/v1',
  bootstrap: ruleset,
  logger: false,
});

/** Collects results, so that no call is optimized away. */
let sink = 0;
const time = (work: () => void): number => {
  const before = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - before) / CALLS;
};
const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!;

let worst = 0;
console.log('flag        evaluate      flag()   difference');
for (const { key } of flags) {
  const defaultValue: unknown = key === 'text' ? '' : false;
  const evaluates: number[] = [];
  const serves: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    evaluates.push(
      time(() => {
        for (let i = 0; i < CALLS; i++)
          if (evaluator.evaluate(key, contexts[i % 1000]!).value === true) sink++;
      }),
    );
    serves.push(
      time(() => {
        for (let i = 0; i < CALLS; i++)
          if (client.flag(key, contexts[i % 1000]!, defaultValue) === true) sink++;
      }),
    );
  }
  const [floor, served] = [median(evaluates), median(serves)];
  worst = Math.max(worst, served - floor);
  const cell = (ns: number) => `${ns.toFixed(1)} ns`.padStart(12);
  console.log(`${key.padEnd(9)}${cell(floor)}${cell(served)}${cell(served - floor)}`);
}
const { recorded, pending, delivered, dropped } = client.stats();
await client.close({ timeoutMs: 0 });
console.log(
  `counted ${recorded} (${recorded === pending + delivered + dropped ? 'every event is accounted for' : 'EVENTS ARE MISSING'})`,
);
console.log(
  `goal: at most ${GOAL_NS} ns more; worst: ${worst.toFixed(1)} ns${worst > GOAL_NS ? ' - MISSED' : ''} [${sink % 7}]`,
);

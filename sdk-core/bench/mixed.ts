/** Benchmarks of 1,000 flags of every kind at once, and of a large ruleset from JSON text to its first result. */
import {
  type Condition,
  type Context,
  createEvaluator,
  type EvaluationResult,
  type Flag,
  parseRuleset,
} from '../src/index.ts';
import { createRuleIndex } from '../src/rule-index.ts';
import { flagWith, rulesetOf } from './cases.ts';
import type { Case } from './single-flag.ts';

const ROLLOUT = [
  { variation: 'on', percentage: 50 },
  { variation: 'off', percentage: 50 },
];

/** Cycles through eight kinds of flag: no rule, is, is_not, one_of, contains, gt, rollout and disabled. */
function mixedFlag(i: number): Flag {
  const key = `flag-${i}`;
  const ask = (attribute: string, operator: Condition['operator'], value: Condition['value']) =>
    flagWith(key, [[{ attribute, operator, value }]]);
  switch (i % 8) {
    case 0:
      return flagWith(key, []);
    case 1:
      return ask('country', 'is', i % 16 === 1 ? 'NL' : 'DE');
    case 2:
      return ask('plan', 'is_not', 'free');
    case 3:
      return ask('plan', 'one_of', ['pro', 'team']);
    case 4:
      return ask('email', 'contains', '@example.com');
    case 5:
      return ask('age', 'gt', 18);
    case 6:
      return flagWith(key, [], {
        targeting_rules: [{ id: 'rule_0', priority: 0, conditions: [], percentage_rollout: ROLLOUT }],
      });
    default:
      return flagWith(key, [], { enabled: false });
  }
}

const contexts: readonly Context[] = Array.from({ length: 128 }, (_, i) => ({
  user_key: `user-${100_000 + i}`,
  attributes: {
    country: i % 2 ? 'NL' : 'DE',
    plan: 'pro',
    email: `user-${i}@example.com`,
    age: 10 + (i % 30),
  },
}));

/** The floor: hand-written code that evaluates the same flags into a record. */
function floorOver(count: number): (context: Context) => Record<string, EvaluationResult> {
  const outcome = (value: boolean): EvaluationResult =>
    Object.freeze({
      value,
      reason: 'TARGETING_RULE',
      rule_id: 'rule_0',
      variation_key: value ? 'on' : 'off',
    });
  const flags = Array.from({ length: count }, (_, i) => {
    const flag = mixedFlag(i);
    const [condition] = flag.targeting_rules[0]?.conditions ?? [];
    let prefix = 5381;
    for (const char of `${flag.key}:`) prefix = (Math.imul(prefix, 33) + char.charCodeAt(0)) | 0;
    return {
      key: flag.key,
      kind: i % 8,
      value: condition?.value,
      prefix,
      on: outcome(true),
      off: outcome(false),
    };
  });
  const plans = new Set(['pro', 'team']);
  return (context) => {
    const { country, plan, email, age } = context.attributes as {
      country: string;
      plan: string;
      email: string;
      age: number;
    };
    const user = context.user_key as string;
    let hash = 0;
    let power = 1;
    for (let at = 0; at < user.length; at++) {
      hash = (Math.imul(hash, 33) + user.charCodeAt(at)) | 0;
      power = Math.imul(power, 33);
    }
    const results: Record<string, EvaluationResult> = Object.create(null);
    for (let i = 0; i < flags.length; i++) {
      const { key, kind, value, prefix, on, off } = flags[i]!;
      let isOn = false;
      if (kind === 1) isOn = country === value;
      else if (kind === 2) isOn = plan !== value;
      else if (kind === 3) isOn = plans.has(plan);
      else if (kind === 4) isOn = email.includes('@example.com');
      else if (kind === 5) isOn = age > 18;
      else if (kind === 6) isOn = ((Math.imul(prefix, power) + hash) >>> 0) % 100 < 50;
      results[key] = isOn ? on : off;
    }
    return results;
  };
}

export function mixedCase(): Case {
  const evaluator = createEvaluator(rulesetOf(Array.from({ length: 1_000 }, (_, i) => mixedFlag(i))), {
    createRuleIndex,
  });
  const floor = floorOver(1_000);
  return {
    name: '1,000 mixed flags at once',
    gate: 2,
    perRound: 20,
    allocationFree: false,
    contexts,
    floor,
    ours: (context) => evaluator.evaluateAll(context),
  };
}

/** 10,000 flags, about 4 MB, from JSON text to the first result. The floor only calls `JSON.parse`. */
export function firstAnswerCase(): Case {
  const flags = Array.from({ length: 10_000 }, (_, i) => ({
    ...mixedFlag(i),
    name: `Flag number ${i}, with a name of ordinary length`,
    description: 'A description of ordinary length, as people write them. '.repeat(2),
  }));
  const text = JSON.stringify(rulesetOf(flags));
  return {
    name: `10,000 flags (${(text.length / 1e6).toFixed(1)} MB) from text to first result`,
    gate: 2,
    perRound: 1,
    allocationFree: false,
    contexts,
    floor: () => JSON.parse(text),
    ours: () =>
      createEvaluator(parseRuleset(text).ruleset!, { createRuleIndex }).evaluate('flag-5001', contexts[0]!),
  };
}

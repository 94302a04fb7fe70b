/** Benchmarks of single flags. Each compares with a floor: code written by hand for that flag only. */
import { type Context, createEvaluator, type EvaluationResult } from '../src/index.ts';
import { createRuleIndex } from '../src/rule-index.ts';
import { flagWith, manyRules, manyRulesContext, rulesetOf } from './cases.ts';

export interface Case {
  readonly name: string;
  /** The highest ratio that passes; undefined if the ratio is only reported. */
  readonly gate: number | undefined;
  /** The contexts, evaluated in turn. */
  readonly contexts: readonly Context[];
  readonly floor: (context: Context) => unknown;
  readonly ours: (context: Context) => unknown;
  readonly perRound: number;
  /** True if an evaluation must not allocate. */
  readonly allocationFree: boolean;
}

function result(rule_id: string | null, on: boolean): EvaluationResult {
  return Object.freeze({
    value: on,
    reason: rule_id ? 'TARGETING_RULE' : 'DEFAULT',
    rule_id,
    variation_key: on ? 'on' : 'off',
  });
}

const ON = result('rule_0', true);
const OFF = result(null, false);

/** A map of 1,000 flag keys, in which a floor looks up its flag. */
function byKey<T>(value: T): Map<string, T> {
  const map = new Map<string, T>();
  for (let i = 0; i < 1_000; i++) map.set(`flag-${i}`, value);
  return map;
}

const KEY = 'flag-500';
const others = Array.from({ length: 1_000 }, (_, i) => flagWith(`flag-${i}`, []));
const evaluatorWith = (...args: Parameters<typeof flagWith>) =>
  createEvaluator(rulesetOf(others.map((flag) => (flag.key === args[0] ? flagWith(...args) : flag))), {
    createRuleIndex,
  });

function single(
  name: string,
  args: Parameters<typeof flagWith>,
  contexts: readonly Context[],
  floor: (context: Context) => unknown,
  gate = 2.5,
): Case {
  const evaluator = evaluatorWith(...args);
  const ours = (context: Context) => evaluator.evaluate(KEY, context);
  return { name, gate: gate || undefined, contexts, floor, ours, perRound: 20_000, allocationFree: true };
}

type Facts = { readonly [name: string]: string };

function noRule(): Case {
  const map = byKey(OFF);
  return single('no rule', [KEY, []], [{ user_key: 'u' }], () => map.get(KEY));
}

function oneIs(): Case {
  const map = byKey({ expected: 'NL' });
  const contexts = ['NL', 'DE', 'NL', 'FR'].map((country) => ({
    user_key: 'u',
    attributes: { country, plan: 'pro' },
  }));
  return single(
    'one is',
    [KEY, [[{ attribute: 'country', operator: 'is', value: 'NL' }]]],
    contexts,
    ({ attributes }) => ((attributes as Facts)['country'] === map.get(KEY)!.expected ? ON : OFF),
  );
}

/** A case with `count` rules of three conditions each. Only the last rule matches. A gate of 0 means no gate. */
function rulesByThree(count: number, gate: number): Case {
  const map = byKey({
    rules: manyRules(count).map(([country, plan, tenant]) => ({
      country: country!.value,
      plan: plan!.value as string[],
      tenant: tenant!.value,
    })),
  });
  const contexts = [manyRulesContext(count)];
  return single(
    `${count} rules x 3 conditions, the last matches`,
    [KEY, manyRules(count)],
    contexts,
    ({ attributes }) => {
      const { country, plan, tenant } = attributes as Facts;
      for (const rule of map.get(KEY)!.rules) {
        if (
          rule.country === country &&
          (rule.plan[0] === plan || rule.plan[1] === plan) &&
          rule.tenant === tenant
        )
          return ON;
      }
      return OFF;
    },
    gate,
  );
}

function oneOf(): Case {
  const values = Array.from({ length: 1_000 }, (_, i) => `value-${i}`);
  const map = byKey({ values: new Set(values) });
  const contexts = [{ user_key: 'u', attributes: { country: 'value-999' } }];
  return single(
    'one_of with 1,000 entries, the last',
    [KEY, [[{ attribute: 'country', operator: 'one_of', value: values }]]],
    contexts,
    ({ attributes }) => (map.get(KEY)!.values.has((attributes as Facts)['country']!) ? ON : OFF),
  );
}

function rollout(): Case {
  const contexts = Array.from({ length: 10_000 }, (_, i) => ({ user_key: `user-${100_000 + i}` }));
  const rule = {
    id: 'rule_0',
    priority: 0,
    conditions: [],
    percentage_rollout: [
      { variation: 'on', percentage: 50 },
      { variation: 'off', percentage: 50 },
    ],
  };
  const map = byKey({ prefix: 5381 });
  for (const [key, value] of map) {
    let prefix = 5381;
    for (let i = 0; i < key.length; i++) prefix = (Math.imul(prefix, 33) + key.charCodeAt(i)) | 0;
    map.set(key, { ...value, prefix: (Math.imul(prefix, 33) + 58) | 0 });
  }
  return single(
    'rollout over 10,000 rotating users',
    [KEY, [], { targeting_rules: [rule] }],
    contexts,
    ({ user_key }) => {
      const user = user_key!;
      let hash = map.get(KEY)!.prefix;
      for (let at = 0; at < user.length; at++) hash = (Math.imul(hash, 33) + user.charCodeAt(at)) | 0;
      return (hash >>> 0) % 100 < 50 ? ON : OFF;
    },
  );
}

function versionGt(): Case {
  const map = byKey({ major: 2, minor: 10, patch: 0 });
  const contexts = ['2.9.4', '2.10.3', '3.0.0', '1.20.1'].map((version) => ({
    user_key: 'u',
    attributes: { version },
  }));
  const condition = { attribute: 'version', operator: 'version_gt', value: '2.10.0' } as const;
  return single('version_gt', [KEY, [[condition]]], contexts, ({ attributes }) => {
    const { major, minor, patch } = map.get(KEY)!;
    const text = (attributes as Facts)['version']!;
    let part = 0;
    let number = 0;
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text.charCodeAt(at) : 46;
      if (code !== 46) number = number * 10 + code - 48;
      else {
        const wanted = part === 0 ? major : part === 1 ? minor : patch;
        if (number !== wanted) return number > wanted ? ON : OFF;
        number = 0;
        part++;
      }
    }
    return OFF;
  });
}

function regex(): Case {
  const map = byKey({ pattern: /^[a-z.]+@example\.com$/ });
  const contexts = ['jane.doe@example.com', 'john@example.org', 'a.b@example.com'].map((email) => ({
    user_key: 'u',
    attributes: { email },
  }));
  const condition = {
    attribute: 'email',
    operator: 'matches_regex',
    value: '^[a-z.]+@example\\.com$',
  } as const;
  return single('matches_regex', [KEY, [[condition]]], contexts, ({ attributes }) =>
    map.get(KEY)!.pattern.test((attributes as Facts)['email']!) ? ON : OFF,
  );
}

export const singleFlagCases: readonly Case[] = [
  noRule(),
  oneIs(),
  rulesByThree(10, 7),
  oneOf(),
  rollout(),
  versionGt(),
  regex(),
];

/** How the cost grows with the number of rules. These have no gate. */
export const growthCases: readonly Case[] = [rulesByThree(100, 0), rulesByThree(1_000, 0)];

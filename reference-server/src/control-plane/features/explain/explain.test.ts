import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import {
  booleanFlag,
  type ConditionBody,
  type RuleBody,
  startServer,
  type TestServer,
} from '../../../../test/server.ts';

type EvaluationContext = Body<'POST /evaluate/explain'>['context'];

let server: TestServer;
let api: Api;
let apiKey: string;
let environment_id: string;

beforeAll(async () => {
  server = await startServer();
  environment_id = server.environments.staging;
  api = server.as('admin').in(environment_id);
  const flag = async (
    key: string,
    targeting_rules: RuleBody[],
    prerequisites: { flag_key: string; variation: string }[] = [],
  ) => {
    const { id } = await api.flags.create(booleanFlag(key));
    await api.flags.update(id, { targeting_rules, prerequisites });
    await api.flags.toggle(id, true);
  };
  const condition = (value: string): ConditionBody => ({ attribute: 'plan', operator: 'is', value });
  await flag('base', []);
  await flag(
    'asked',
    [
      { priority: 1, name: 'pro', conditions: [condition('pro'), condition('x')], variation: 'on' },
      {
        priority: 2,
        name: 'some',
        conditions: [],
        percentage_rollout: [{ variation: 'on', percentage: 30 }],
      },
      { priority: 3, name: 'late', conditions: [condition('late')], variation: 'on' },
    ],
    [{ flag_key: 'base', variation: 'off' }],
  );
  await flag(
    'blocked',
    [{ priority: 1, conditions: [condition('pro')], variation: 'on' }],
    [{ flag_key: 'base', variation: 'on' }],
  );
  apiKey = (await api.apiKeys.create(environment_id, { name: 'k' })).key!;
});
afterAll(() => server.close());

const explain = (flags: readonly string[], context: EvaluationContext = { user_key: 'u' }) =>
  server.as('viewer').flags.explain({ environment_id, flags, context });

test('the explanation shows what decided the result, and agrees with the evaluation for every user', async () => {
  for (let index = 0; index < 20; index++) {
    const context = { user_key: `u${index}`, attributes: { plan: index % 2 === 0 ? 'pro' : 'free' } };
    const { explanations } = await explain(['*'], context);
    const { evaluations } = await server.withKey(apiKey).dataPlane.evaluate({ flags: ['*'], context });
    for (const [key, result] of Object.entries(evaluations)) {
      expect(explanations[key]!.result).toEqual(result);
    }
    const { prerequisites, rules } = explanations['asked']!;
    const [first, second, third] = rules;
    expect(prerequisites).toMatchObject([{ flag_key: 'base', variation: 'off', holds: true }]);
    expect(first).toMatchObject({ matched: false });
    expect(first!.conditions.at(-1)).toMatchObject({ actual: context.attributes.plan, matched: false });
    expect(first!.conditions).toHaveLength(index % 2 === 0 ? 2 : 1);
    expect(second).toMatchObject({ matched: true, ranges: [{ variation: 'on', from: 0, to: 30 }] });
    expect(second!.bucket).toBeGreaterThanOrEqual(0);
    expect(rules.map(({ reached }) => reached)).toEqual([true, true, false]);
    expect(third).toMatchObject({
      matched: false,
      conditions: [],
      warning: {
        code: 'rule-unreachable',
        message: 'Rule 3 of asked never decides: rule 2 comes first and matches everyone.',
        details: { shadowed_by: second!.rule_id },
      },
    });
    expect(first).not.toHaveProperty('warning');
  }
});

test('rules are listed as not reached when a prerequisite does not hold', async () => {
  const context = { user_key: 'u', attributes: {} };
  const { explanations } = await explain(['blocked'], context);
  const { result, rules } = explanations['blocked']!;
  expect(result.reason).toBe('PREREQUISITE');
  expect(rules).toEqual([{ rule_id: expect.any(String), reached: false, matched: false, conditions: [] }]);
});

test('the explanation names unknown flags, and attributes that a context lacks', async () => {
  const { explanations, ruleset_version } = await explain(['nobody', 'asked', 'asked', '__proto__']);
  expect(explanations['nobody']!.result.reason).toBe('FLAG_NOT_FOUND');
  expect(explanations['asked']!.rules[0]!.conditions[0]).not.toHaveProperty('actual');
  expect(ruleset_version).toEqual(expect.any(Number));
});

test('the explanation reflects a change at once', async () => {
  const reasonOf = async () => (await explain(['late'])).explanations['late']!.result.reason;
  expect(await reasonOf()).toBe('FLAG_NOT_FOUND');
  await api.flags.create(booleanFlag('late'));
  expect(await reasonOf()).toBe('DISABLED');
});

test('a request for an explanation must name flags and an environment of the organization', async () => {
  const context = { user_key: 'u' };
  const missing = await refused(api.unchecked.flags.explain({ environment_id, context }));
  expect(missing.details.fields[0].field).toBe('flags');
  const unknown = api.flags.explain({ environment_id: 'env_x', flags: ['*'], context });
  expect(await codeOf(unknown)).toBe('ENVIRONMENT_NOT_FOUND');
});

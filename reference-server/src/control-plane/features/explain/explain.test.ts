import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let apiKey: string;

beforeAll(async () => {
  server = await startServer();
  const environment = server.environments.staging;
  const write = async (method: 'POST' | 'PUT', url: string, body: object) =>
    (await server.call({ method, url, token: server.tokens.admin, body })).body.data;
  const flag = async (key: string, more: object) => {
    const { id } = await write('POST', `/flags?environment_id=${environment}`, booleanFlag(key));
    await write('PUT', `/flags/${id}?environment_id=${environment}`, more);
    await write('POST', `/flags/${id}/toggle?environment_id=${environment}`, { enabled: true });
  };
  const condition = (value: string) => ({ attribute: 'plan', operator: 'is', value });
  await flag('base', {});
  await flag('asked', {
    prerequisites: [{ flag_key: 'base', variation: 'off' }],
    targeting_rules: [
      { priority: 1, name: 'pro', conditions: [condition('pro'), condition('x')], variation: 'on' },
      {
        priority: 2,
        name: 'some',
        conditions: [],
        percentage_rollout: [{ variation: 'on', percentage: 30 }],
      },
      { priority: 3, name: 'late', conditions: [condition('late')], variation: 'on' },
    ],
  });
  await flag('blocked', {
    prerequisites: [{ flag_key: 'base', variation: 'on' }],
    targeting_rules: [{ priority: 1, conditions: [condition('pro')], variation: 'on' }],
  });
  apiKey = (await write('POST', `/environments/${environment}/api-keys`, { name: 'k' })).key;
});
afterAll(() => server.close());

const explain = (body: object, role: 'viewer' | 'admin' = 'viewer') =>
  server.call({
    method: 'POST',
    url: '/evaluate/explain',
    token: server.tokens[role],
    body: { environment_id: server.environments.staging, ...body },
  });

test('tells what decided, and agrees with the evaluation for every user', async () => {
  for (let index = 0; index < 20; index++) {
    const context = { user_key: `u${index}`, attributes: { plan: index % 2 === 0 ? 'pro' : 'free' } };
    const [explained, evaluated] = [
      await explain({ flags: ['*'], context }),
      await server.call({
        method: 'POST',
        url: '/evaluate',
        headers: { 'x-api-key': apiKey },
        body: { flags: ['*'], context },
      }),
    ];
    expect(explained.status).toBe(200);
    const { explanations } = explained.body.data;
    for (const [key, result] of Object.entries(evaluated.body.data.evaluations)) {
      expect(explanations[key].result).toEqual(result);
    }
    const { prerequisites, rules } = explanations.asked;
    expect(prerequisites).toMatchObject([{ flag_key: 'base', variation: 'off', holds: true }]);
    expect(rules[0]).toMatchObject({ matched: false });
    expect(rules[0].conditions.at(-1)).toMatchObject({ actual: context.attributes.plan, matched: false });
    expect(rules[0].conditions).toHaveLength(index % 2 === 0 ? 2 : 1);
    expect(rules[1]).toMatchObject({ matched: true, ranges: [{ variation: 'on', from: 0, to: 30 }] });
    expect(rules[1].bucket).toBeGreaterThanOrEqual(0);
    expect(rules.map((rule: { reached: boolean }) => rule.reached)).toEqual([true, true, false]);
    expect(rules[2]).toMatchObject({
      matched: false,
      conditions: [],
      warning: {
        code: 'rule-unreachable',
        message: 'Rule 3 of asked never decides: rule 2 comes first and matches everyone.',
        details: { shadowed_by: rules[1].rule_id },
      },
    });
    expect(rules[0]).not.toHaveProperty('warning');
  }
});

test('lists rules as not reached where a prerequisite does not hold', async () => {
  const context = { user_key: 'u', attributes: {} };
  const { explanations } = (await explain({ flags: ['blocked'], context })).body.data;
  const { result, rules } = explanations.blocked;
  expect(result.reason).toBe('PREREQUISITE');
  expect(rules).toEqual([{ rule_id: expect.any(String), reached: false, matched: false, conditions: [] }]);
});

test('explains flags that do not exist, and attributes that users have not', async () => {
  const { body } = await explain({
    flags: ['nobody', 'asked', 'asked', '__proto__'],
    context: { user_key: 'u' },
  });
  const { explanations, ruleset_version } = body.data;
  expect(explanations.nobody.result.reason).toBe('FLAG_NOT_FOUND');
  expect(explanations.asked.rules[0].conditions[0]).not.toHaveProperty('actual');
  expect(ruleset_version).toEqual(expect.any(Number));
});

test('sees a change at once', async () => {
  const reasonOf = async () =>
    (await explain({ flags: ['late'], context: { user_key: 'u' } })).body.data.explanations.late.result
      .reason;
  expect(await reasonOf()).toBe('FLAG_NOT_FOUND');
  await server.call({
    method: 'POST',
    url: `/flags?environment_id=${server.environments.staging}`,
    token: server.tokens.editor,
    body: booleanFlag('late'),
  });
  expect(await reasonOf()).toBe('DISABLED');
});

test('takes what the evaluation takes, of an environment of the organization', async () => {
  const missing = await explain({ context: { user_key: 'u' } });
  expect([missing.status, missing.body.error.details.fields[0].field]).toEqual([400, 'flags']);
  const unknown = await explain({ environment_id: 'env_x', flags: ['*'], context: { user_key: 'u' } });
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'ENVIRONMENT_NOT_FOUND']);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

/** Each of 2,500 states, so that a flag has room for four. */
const LARGE = '(a{50}){50}';
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const conditionsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    attribute: `a${index}`,
    operator: 'matches_regex',
    value: LARGE,
  }));
const rulesOf = (count: number) =>
  conditionsOf(count).map((condition, index) => ({
    priority: index,
    conditions: [condition],
    variation: 'on',
  }));

const send = (method: 'POST' | 'PUT' | 'PATCH', url: string, body: object) =>
  server.call({ method, url, token: server.tokens.admin, body });
const refusalAt = (field: string) => ({
  status: 422,
  body: {
    error: {
      code: 'REGEX_INVALID',
      message: expect.stringContaining('10000 states'),
      details: { field, limit: 'pattern_states', maximum: 10_000 },
    },
  },
});

let flags = 0;
async function createFlag(): Promise<{ id: string; key: string; at: (environment?: 'staging') => string }> {
  const key = `f-${flags++}`;
  const { development } = server.environments;
  const { body } = await send('POST', `/flags?environment_id=${development}`, booleanFlag(key));
  const { id } = body.data;
  return { id, key, at: (one) => `${id}?environment_id=${one ? server.environments[one] : development}` };
}

/** What a version before this bound has left in the database. */
async function overfill(id: string, environmentId: string, count: number): Promise<void> {
  const rules = rulesOf(count).map((rule, index) => ({ id: `rule_old_${index}`, name: '', ...rule }));
  await server.db
    .updateTable('flag_environments')
    .set({ rules_json: JSON.stringify(rules) })
    .where('flag_id', '=', id)
    .where('environment_id', '=', environmentId)
    .execute();
}

test('a flag has room for 10,000 states in each environment', async () => {
  const { at } = await createFlag();
  for (const environment of [undefined, 'staging'] as const) {
    expect((await send('PUT', `/flags/${at(environment)}`, { targeting_rules: rulesOf(4) })).status).toBe(
      200,
    );
    const refused = await send('PUT', `/flags/${at(environment)}`, { targeting_rules: rulesOf(6) });
    expect(refused).toMatchObject(refusalAt('targeting_rules.4.conditions.0.value'));
  }
  const together = [{ priority: 1, conditions: conditionsOf(5), variation: 'on' }];
  expect(await send('PUT', `/flags/${at()}`, { targeting_rules: together })).toMatchObject(
    refusalAt('targeting_rules.0.conditions.4.value'),
  );
});

test('instructions and schedules are held to it as well', async () => {
  const { id, at } = await createFlag();
  await send('PUT', `/flags/${at()}`, { targeting_rules: rulesOf(4) });
  const [rule] = rulesOf(1);
  const instructions = [{ op: 'add_rule', rule }];
  const refusal = refusalAt('targeting_rules.4.conditions.0.value');
  expect(await send('PATCH', `/flags/${at()}`, { instructions })).toMatchObject(refusal);
  const environment_id = server.environments.development;
  const scheduled = await send('POST', `/flags/${id}/scheduled-changes`, {
    environment_id,
    changes: instructions,
    execute_at: '2026-12-01T10:00:00.000Z',
  });
  expect(JSON.stringify(scheduled.body)).toContain('REGEX_INVALID');
});

test('what stands above the bound may become less, and be changed otherwise, and not become more', async () => {
  const { id, at } = await createFlag();
  await overfill(id, server.environments.development, 6);
  expect((await send('PUT', `/flags/${at()}`, { name: 'Another' })).status).toBe(200);
  expect((await send('PUT', `/flags/${at()}`, { targeting_rules: rulesOf(6) })).status).toBe(200);
  expect(await send('PUT', `/flags/${at()}`, { targeting_rules: rulesOf(7) })).toMatchObject({
    status: 422,
    body: { error: { code: 'REGEX_INVALID', details: { maximum: 15_000 } } },
  });
  expect((await send('PUT', `/flags/${at()}`, { targeting_rules: rulesOf(5) })).status).toBe(200);
  expect((await send('PUT', `/flags/${at()}`, { targeting_rules: rulesOf(6) })).status).toBe(422);
});

test('it goes nowhere else: not by promotion, copies or restoring', async () => {
  const { id, key, at } = await createFlag();
  await overfill(id, server.environments.development, 6);
  const target_environment_ids = [server.environments.staging];
  const promoted = await send('POST', `/flags/${id}/promote`, {
    source_environment_id: server.environments.development,
    target_environment_ids,
  });
  expect(promoted).toMatchObject(refusalAt('targeting_rules.4.conditions.0.value'));
  const copy = await send('POST', `/flags/${at().replace('?', '/clone?')}`, { key: `${key}-copy` });
  expect(copy).toMatchObject(refusalAt('targeting_rules'));
  // A revision that has too much, and a flag that was put right.
  const kept = await send('PUT', `/flags/${at()}`, { targeting_rules: rulesOf(6).reverse() });
  expect(kept.status).toBe(200);
  await send('PUT', `/flags/${at()}`, { targeting_rules: [] });
  const revisions = await server.call({
    url: `/flags/${at().replace('?', '/revisions?')}`,
    token: server.tokens.admin,
  });
  const [, full] = revisions.body.data as { revision: number | string }[];
  const url = `/flags/${id}/revisions/${full!.revision}/restore?environment_id=${server.environments.development}`;
  const restored = await send('POST', url, {});
  expect(restored).toMatchObject(refusalAt('targeting_rules.4.conditions.0.value'));
  expect(restored.body.error.details.errors).toHaveLength(1);
});

test('imports name the flag, the environment and the place', async () => {
  const flag = {
    key: 'imported',
    flag_type: 'boolean',
    variations: booleanFlag('imported').variations,
    default_variation: 'off',
    environments: { staging: { targeting_rules: rulesOf(5) } },
  };
  const segments = [{ key: 'imported', conditions: conditionsOf(5) }];
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [flag], segments };
  const planned = await send('POST', `/projects/${server.projectId}/imports`, { document });
  expect(planned.body.data.plan.errors).toMatchObject([
    { path: 'segments.0.conditions.4.value', code: 'REGEX_INVALID' },
    {
      path: 'flags.0.environments.staging.targeting_rules.4.conditions.0.value',
      code: 'REGEX_INVALID',
      message: expect.stringContaining('10000 states'),
    },
  ]);
});

test('a segment has room for 10,000 states of its own', async () => {
  const url = `/projects/${server.projectId}/segments`;
  const created = await send('POST', url, { key: 'full', conditions: conditionsOf(4) });
  expect(created.status).toBe(201);
  const refusal = refusalAt('conditions.4.value');
  expect(await send('POST', url, { key: 'fuller', conditions: conditionsOf(5) })).toMatchObject(refusal);
  const put = (count: number) =>
    send('PUT', `/segments/${created.body.data.id}`, { conditions: conditionsOf(count) });
  expect(await put(5)).toMatchObject(refusal);
  await server.db
    .updateTable('segments')
    .set({ conditions_json: JSON.stringify(conditionsOf(7)) })
    .where('id', '=', created.body.data.id)
    .execute();
  expect((await put(6)).status).toBe(200);
  expect((await put(7)).status).toBe(422);
});

test('the pattern of flag keys is smaller, because each new key is held against it', async () => {
  const patch = (flag_key_pattern: string) =>
    send('PATCH', `/projects/${server.projectId}`, { settings: { flag_key_pattern } });
  expect((await patch('[a-z0-9-]{1,100}')).status).toBe(200);
  expect(await patch('(a{100}){11}')).toMatchObject({
    status: 422,
    body: {
      error: { code: 'REGEX_INVALID', details: { field: 'settings.flag_key_pattern', maximum: 1_000 } },
    },
  });
});

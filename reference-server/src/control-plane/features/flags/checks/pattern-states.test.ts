import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../../test/api.ts';
import { codeOf, refused } from '../../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../../test/server.ts';

/** A pattern of 2,500 states; a flag has room for four such patterns. */
const LARGE = '(a{50}){50}';
let server: TestServer;
let api: Api;
let development: string;
let staging: string;
beforeAll(async () => {
  server = await startServer();
  ({ development, staging } = server.environments);
  api = server.as('admin').in(development);
});
afterAll(() => server.close());

const conditionsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    attribute: `a${index}`,
    operator: 'matches_regex' as const,
    value: LARGE,
  }));
const rulesOf = (count: number) =>
  conditionsOf(count).map((condition, index) => ({
    priority: index,
    conditions: [condition],
    variation: 'on',
  }));

const tooManyStates = (field: string) => ({
  code: 'REGEX_INVALID',
  message: expect.stringContaining('10000 states'),
  details: { field, limit: 'pattern_states', maximum: 10_000 },
});

let flags = 0;
const createFlag = () => api.flags.create(booleanFlag(`f-${flags++}`));

/** Stores rules above the limit. Older versions of the server had no limit, so such rules exist. */
async function overfill(id: string, count: number): Promise<void> {
  const rules = rulesOf(count).map((rule, index) => ({ id: `rule_old_${index}`, name: '', ...rule }));
  await server.db
    .updateTable('flag_environments')
    .set({ rules_json: JSON.stringify(rules) })
    .where('flag_id', '=', id)
    .where('environment_id', '=', development)
    .execute();
}

test('the patterns of a flag have at most 10,000 states per environment', async () => {
  const { id } = await createFlag();
  for (const environment of [development, staging]) {
    const update = (count: number) =>
      api.in(environment).flags.update(id, { targeting_rules: rulesOf(count) });
    expect(await codeOf(update(4))).toBe('OK');
    expect(await refused(update(6))).toMatchObject(tooManyStates('targeting_rules.4.conditions.0.value'));
  }
  const together = [{ priority: 1, conditions: conditionsOf(5), variation: 'on' }];
  expect(await refused(api.flags.update(id, { targeting_rules: together }))).toMatchObject(
    tooManyStates('targeting_rules.0.conditions.4.value'),
  );
});

test('the limit of states applies to instructions and scheduled changes', async () => {
  const { id } = await createFlag();
  await api.flags.update(id, { targeting_rules: rulesOf(4) });
  const instructions = [{ op: 'add_rule' as const, rule: rulesOf(1)[0]! }];
  expect(await refused(api.flags.patch(id, { instructions }))).toMatchObject(
    tooManyStates('targeting_rules.4.conditions.0.value'),
  );
  const scheduled = await api.scheduledChanges.create(id, {
    environment_id: development,
    changes: instructions,
    execute_at: '2026-12-01T10:00:00.000Z',
  }).answer;
  expect(JSON.stringify(scheduled.body)).toContain('REGEX_INVALID');
});

test('stored rules above the limit may shrink or stay, but not grow', async () => {
  const { id } = await createFlag();
  await overfill(id, 6);
  const update = (count: number) => api.flags.update(id, { targeting_rules: rulesOf(count) });
  expect(await codeOf(api.flags.update(id, { name: 'Another' }))).toBe('OK');
  expect(await codeOf(update(6))).toBe('OK');
  expect(await refused(update(7))).toMatchObject({ code: 'REGEX_INVALID', details: { maximum: 15_000 } });
  expect(await codeOf(update(5))).toBe('OK');
  expect(await codeOf(update(6))).toBe('REGEX_INVALID');
});

test('rules above the limit cannot be promoted, cloned or restored', async () => {
  const { id, key } = await createFlag();
  await overfill(id, 6);
  const promoted = api.flags.promote(id, {
    source_environment_id: development,
    target_environment_ids: [staging],
  });
  const tooMany = tooManyStates('targeting_rules.4.conditions.0.value');
  expect(await refused(promoted)).toMatchObject(tooMany);
  const copy = api.flags.clone(id, { key: `${key}-copy` });
  expect(await refused(copy)).toMatchObject(tooManyStates('targeting_rules'));
  await api.flags.update(id, { targeting_rules: rulesOf(6).reverse() });
  await api.flags.update(id, { targeting_rules: [] });
  const [, full] = await api.flags.listRevisions(id);
  const restored = await refused(api.flags.restoreRevision(id, full!.revision));
  expect(restored).toMatchObject(tooMany);
  expect(restored.details.errors).toHaveLength(1);
});

test('the fault of an import names the flag, the environment and the path', async () => {
  const flag = {
    key: 'imported',
    flag_type: 'boolean',
    variations: booleanFlag('imported').variations,
    default_variation: 'off',
    environments: { staging: { targeting_rules: rulesOf(5) } },
  };
  const segments = [{ key: 'imported', conditions: conditionsOf(5) }];
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [flag], segments };
  const { plan } = await api.imports.create(server.projectId, { document });
  expect(plan.errors).toMatchObject([
    { path: 'segments.0.conditions.4.value', code: 'REGEX_INVALID' },
    {
      path: 'flags.0.environments.staging.targeting_rules.4.conditions.0.value',
      code: 'REGEX_INVALID',
      message: expect.stringContaining('10000 states'),
    },
  ]);
});

test('the patterns of a segment have at most 10,000 states', async () => {
  const create = (key: string, count: number) =>
    api.segments.create(server.projectId, { key, conditions: conditionsOf(count) });
  const { id } = await create('full', 4);
  const update = (count: number) => api.segments.update(id, { conditions: conditionsOf(count) });
  expect(await refused(create('fuller', 5))).toMatchObject(tooManyStates('conditions.4.value'));
  expect(await refused(update(5))).toMatchObject(tooManyStates('conditions.4.value'));
  await server.db
    .updateTable('segments')
    .set({ conditions_json: JSON.stringify(conditionsOf(7)) })
    .where('id', '=', id)
    .execute();
  expect(await codeOf(update(6))).toBe('OK');
  expect(await codeOf(update(7))).toBe('REGEX_INVALID');
});

test('the pattern for flag keys has at most 1,000 states', async () => {
  const update = (flag_key_pattern: string) =>
    api.projects.update(server.projectId, { settings: { flag_key_pattern } });
  expect(await codeOf(update('[a-z0-9-]{1,100}'))).toBe('OK');
  expect(await refused(update('(a{100}){11}'))).toMatchObject({
    code: 'REGEX_INVALID',
    details: { field: 'settings.flag_key_pattern', maximum: 1_000 },
  });
});

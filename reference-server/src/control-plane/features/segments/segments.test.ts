import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, type ConditionBody, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
/** Calls the API as the editor, in staging. */
let api: Api;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor').in(server.environments.staging);
});
afterAll(() => server.close());

const byEmail: ConditionBody = { attribute: 'email', operator: 'contains', value: '@example.com' };
const create = (key: string, ...conditions: ConditionBody[]) =>
  api.segments.create(server.projectId, { key, conditions });

test('segments can be created, listed, read and changed', async () => {
  const conditions = [byEmail];
  const created = await api.segments.create(server.projectId, { key: 'beta', name: 'Beta', conditions });
  expect(created).toEqual({
    id: expect.stringMatching(/^seg_[0-9A-Z]{26}$/),
    project_id: server.projectId,
    key: 'beta',
    name: 'Beta',
    description: '',
    conditions,
    included: null,
    excluded: [],
    tags: [],
    usage_count: 0,
    revision: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  const changed = await api.segments.update(created.id, { description: 'Testers' });
  expect(changed).toMatchObject({ name: 'Beta', description: 'Testers', conditions, revision: 2 });
  expect(await api.segments.get(created.id)).toEqual(changed);
  const { included: _i, excluded: _e, ...listed } = changed;
  expect((await api.segments.list(server.projectId).answer).body).toEqual({
    data: [{ ...listed, included_count: null, excluded_count: 0 }],
    meta: { page: 1, per_page: 50, total: 1 },
  });
});

test('a taken key, nesting, and patterns outside the dialect are refused', async () => {
  await create('twice');
  expect(await refused(create('twice'))).toMatchObject({
    code: 'SEGMENT_KEY_CONFLICT',
    details: { key: 'twice' },
  });
  const nested = create('nested', { attribute: '$segment', operator: 'one_of', value: ['twice'] });
  expect(await codeOf(nested)).toBe('SEGMENT_NESTING');
  const withPattern = (value: string) =>
    create('pattern', { attribute: 'email', operator: 'matches_regex', value });
  expect(await codeOf(withPattern('('))).toBe('REGEX_INVALID');
  expect(await refused(withPattern('x'.repeat(513)))).toMatchObject({
    code: 'REGEX_INVALID',
    message: 'A regular expression has at most 512 characters.',
    details: { field: 'conditions.0.value', position: 0, maximum: 512 },
  });
});

test('new conditions raise every ruleset version of the project; a new name raises none', async () => {
  const { id } = await create('reach', byEmail);
  const versions = async () =>
    (await server.db.selectFrom('rulesets').select('version').orderBy('environment_id').execute()).map(
      (row) => row.version,
    );
  const before = await versions();
  await api.segments.update(id, { name: 'Renamed' });
  expect(await versions()).toEqual(before);
  await api.segments.update(id, { conditions: [] });
  expect(await versions()).toEqual(before.map((version) => version + 1));
});

test('a segment cannot be deleted while a rule refers to it', async () => {
  const { id } = await create('used', byEmail);
  const flag = await api.flags.create(booleanFlag('user'));
  const conditions: ConditionBody[] = [{ attribute: '$segment', operator: 'is', value: 'used' }];
  await api.flags.update(flag.id, { targeting_rules: [{ priority: 1, conditions, variation: 'on' }] });
  expect((await api.segments.get(id)).usage_count).toBe(1);
  expect(await refused(api.segments.delete(id))).toMatchObject({
    code: 'RESOURCE_IN_USE',
    details: { flags: ['user'] },
  });
  await api.flags.update(flag.id, { targeting_rules: [] });
  await api.segments.delete(id);
  expect(await codeOf(api.segments.get(id))).toBe('SEGMENT_NOT_FOUND');
});

test('the usage of a segment is listed rule by rule', async () => {
  const { id } = await create('where', byEmail);
  const flag = await api.flags.create(booleanFlag('where-flag'));
  const staff: ConditionBody[] = [{ attribute: '$segment', operator: 'one_of', value: ['where'] }];
  const { targeting_rules } = await api.flags.update(flag.id, {
    targeting_rules: [
      { priority: 1, name: 'a', conditions: staff, variation: 'on' },
      { priority: 2, name: 'b', conditions: [], variation: 'on' },
      { priority: 3, name: 'c', conditions: staff, variation: 'off' },
    ],
  });
  const [first, , third] = targeting_rules;
  expect(await api.segments.usage(id)).toEqual([
    {
      flag_id: flag.id,
      flag_key: 'where-flag',
      environment_id: server.environments.staging,
      rule_ids: [first!.id, third!.id],
    },
  ]);
});

test('a test of a context shows the result of each condition of the segment', async () => {
  const byPlan: ConditionBody = { attribute: 'plan', operator: 'one_of', value: ['pro'] };
  const { id } = await create('tried', byEmail, byPlan);
  const tryOn = (attributes: Record<string, string>) =>
    server.as('viewer').segments.test(id, { context: { user_key: 'u', attributes } });
  expect(await tryOn({ email: 'a@example.com', plan: 'pro' })).toMatchObject({
    matches: true,
    conditions: [{ matched: true }, { matched: true }],
  });
  expect(await tryOn({ plan: 'pro' })).toMatchObject({
    matches: false,
    conditions: [
      { ...byEmail, matched: false },
      { ...byPlan, matched: true },
    ],
  });
});

test('a project has at most 300 segments', async () => {
  const at = '2026-11-20T10:00:00.000Z';
  await server.db
    .insertInto('segments')
    .values(
      Array.from({ length: 300 }, (_, index) => ({
        organization_id: server.organizationId,
        project_id: server.projectId,
        id: `seg_${index}`,
        key: `filler-${index}`,
        name: 'x',
        description: '',
        conditions_json: '[]',
        tags_json: '[]',
        revision: 1,
        created_at: at,
        updated_at: at,
      })),
    )
    .execute();
  expect(await codeOf(create('one-more'))).toBe('LIMIT_EXCEEDED');
});

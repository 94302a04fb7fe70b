import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { openTestDatabase } from '../../../../test/database.ts';
import { booleanFlag, type RuleBody, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
/** Calls the API as the admin, in staging, from which flags are promoted. */
let api: Api;
let [development, staging, production] = ['', '', ''];
beforeAll(async () => {
  server = await startServer();
  ({ development, staging, production } = server.environments);
  api = server.as('admin').in(staging);
});
afterAll(() => server.close());

let counter = 0;
let id: string;
let key: string;
const RULES: RuleBody[] = [
  {
    priority: 1,
    name: 'staff',
    conditions: [{ attribute: 'role', operator: 'is', value: 'staff' }],
    variation: 'on',
  },
  { priority: 2, name: 'rest', conditions: [], percentage_rollout: [{ variation: 'on', percentage: 20 }] },
];

beforeEach(async () => {
  key = `promoted-${++counter}`;
  ({ id } = await api.flags.create(booleanFlag(key)));
  await api.flags.update(id, { targeting_rules: RULES, default_variation: 'on' });
  await api.flags.toggle(id, true);
});

const read = (environment: string) => api.in(environment).flags.get(id);
const promote = (body: Partial<Body<'POST /flags/{flag_id}/promote'>> = {}, by: Pick<Api, 'flags'> = api) =>
  by.flags.promote(id, {
    source_environment_id: staging,
    target_environment_ids: [production],
    ...body,
  });

test('a promotion copies the rules and the default, and enables the flag only on request', async () => {
  const source = await read(staging);
  expect(await promote()).toMatchObject([
    { environment_id: production, enabled: false, default_variation: 'on' },
  ]);
  expect((await read(production)).targeting_rules).toEqual(source.targeting_rules);
  expect((await read(development)).targeting_rules).toEqual([]);
  await promote({ include: ['enabled'] });
  expect((await read(production)).enabled).toBe(true);
});

test('the strategy merge_rules updates rules with the same id and keeps the other rules of the target', async () => {
  await promote();
  const [staff, rest] = (await read(production)).targeting_rules;
  await api.in(production).flags.update(id, {
    targeting_rules: [
      { ...staff!, name: 'changed' },
      rest!,
      { priority: 3, name: 'own', conditions: [], variation: 'off' },
    ],
  });
  const names = async () => (await read(production)).targeting_rules.map(({ name }) => name);
  await promote({ strategy: 'merge_rules', include: ['targeting_rules'] });
  expect(await names()).toEqual(['staff', 'rest', 'own']);
  await promote({ include: ['targeting_rules'] });
  expect(await names()).toEqual(['staff', 'rest']);
});

test('a dry run returns a plan with warnings for each target', async () => {
  await promote();
  const [staff, rest] = (await read(staging)).targeting_rules;
  await api.flags.create(booleanFlag(`${key}-base`));
  const percentage_rollout = [{ variation: 'on', percentage: 5 }];
  await api.flags.update(id, {
    targeting_rules: [staff!, { ...rest!, percentage_rollout }],
    prerequisites: [{ flag_key: `${key}-base`, variation: 'on' }],
  });
  const { plan } = await api.dryRun.flags.promote(id, {
    source_environment_id: staging,
    target_environment_ids: [production, development],
  });
  expect(plan).toHaveLength(2);
  expect(plan[0]).toMatchObject({
    action: 'flag.promoted',
    resource: { id, environment_id: production },
    environment_ids: [production],
    warnings: [
      { code: 'prerequisite-off', details: { prerequisite: `${key}-base` } },
      { code: 'rollout-shrinks', details: { rule_id: rest!.id } },
    ],
    gate: { allowed: true },
  });
  expect((await read(production)).prerequisites).toEqual([]);
});

test('the source and unknown environments are refused as targets', async () => {
  expect(await codeOf(promote({ target_environment_ids: [staging] }))).toBe('VALIDATION_ERROR');
  expect(await codeOf(promote({ target_environment_ids: ['env_x'] }))).toBe('ENVIRONMENT_NOT_FOUND');
});

test('two environments can be compared, and every difference promoted', async () => {
  const compare = async (query: object = {}) =>
    (await api.environments.compare({ source: staging, target: development, per_page: 200, ...query }).answer)
      .body;
  const differing = await compare({ state: 'differs' });
  const mine = differing.data.find(({ flag_key }) => flag_key === key)!;
  expect(Object.keys(mine.changes)).toEqual(['enabled', 'targeting_rules', 'default_variation']);
  expect(mine.changes['enabled']).toEqual({ from: false, to: true });
  const { promoted } = await api.environments.promote(staging, {
    target_environment_id: development,
    include: ['enabled', 'targeting_rules', 'default_variation', 'prerequisites'],
  });
  expect(promoted).toHaveLength(differing.meta.total);
  expect((await compare({ state: 'differs' })).meta.total).toBe(0);
  expect((await compare()).data.find(({ flag_key }) => flag_key === key)).toMatchObject({
    state: 'identical',
    changes: {},
  });
});

test('only the named flags are promoted, either all or none', async () => {
  const versions = () =>
    server.db
      .selectFrom('rulesets')
      .select(['environment_id', 'version'])
      .orderBy('environment_id')
      .execute();
  const before = await versions();
  const promoteKeys = (...flag_keys: string[]) =>
    api.environments.promote(staging, { target_environment_id: production, flag_keys });
  expect(await codeOf(promoteKeys(key, 'nobody'))).toBe('FLAG_NOT_FOUND');
  expect(await versions()).toEqual(before);
  expect((await promoteKeys(key)).promoted).toEqual([{ id, key }]);
});

test('each promoted flag is checked against the flags promoted before it, and the target is read once', async () => {
  let readings = 0;
  const own = await openTestDatabase();
  const db = own.withPlugin({
    transformQuery({ node }) {
      if (/"prerequisites_json".*"\[\]"/.test(JSON.stringify(node))) readings++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const counted = await startServer({ db });
  const { staging: source, production: target } = counted.environments;
  const admin = counted.as('admin');
  const ids: Record<string, string> = {};
  for (const name of ['a', 'b', 'c']) ids[name] = (await admin.flags.create(booleanFlag(name))).id;
  const waitFor = (environment: string, name: string, flag_key: string) =>
    admin.in(environment).flags.update(ids[name]!, { prerequisites: [{ flag_key, variation: 'on' }] });
  await waitFor(target, 'a', 'b');
  // Only this order has no cycle: b can require a only after a requires c instead of b.
  await waitFor(source, 'a', 'c');
  await waitFor(source, 'b', 'a');
  readings = 0;
  const { promoted } = await admin.environments.promote(source, { target_environment_id: target });
  expect(promoted.map((flag) => flag.key)).toEqual(['a', 'b']);
  expect(readings).toBe(1);
  await counted.close();
  await own.destroy();
});

test('the refusal of a promotion names the flag', async () => {
  const waiting = await api.flags.create(booleanFlag(`waiting-${counter}`));
  const awaited = await api.flags.create(booleanFlag(`awaited-${counter}`));
  const prerequisites = [{ flag_key: awaited.key, variation: 'on' }];
  await api.flags.update(waiting.id, { prerequisites });
  await api.flags.archive(awaited.id);
  const promotion = api.environments.promote(staging, { target_environment_id: production });
  expect(await refused(promotion)).toMatchObject({
    code: 'PREREQUISITE_UNKNOWN',
    details: { flag_key: awaited.key, promoted_flag_key: waiting.key },
  });
  await api.flags.update(waiting.id, { prerequisites: [] });
});

test('environments of two projects are compared by key', async () => {
  const project = await api.projects.create({ key: `other-${counter}`, name: 'O' });
  const other = project.default_environment_id!;
  await api.in(other).flags.create(booleanFlag(key));
  await api.in(other).flags.create(booleanFlag('only-there'));
  const flags = await api.environments.compare({ source: production, target: other, per_page: 200 });
  const states = Object.fromEntries(flags.map(({ flag_key, state }) => [flag_key, state]));
  expect(states).toMatchObject({
    [key]: 'identical',
    'only-there': 'only_in_target',
    'promoted-1': 'only_in_source',
  });
});

test('a cloned environment has the configuration of every flag, but no API keys', async () => {
  const clone = () => api.environments.clone(staging, { key: `qa-${counter}`, name: 'QA' });
  const environment = await clone();
  expect(environment).toMatchObject({ key: `qa-${counter}`, type: 'staging' });
  const copy = await read(environment.id);
  expect(copy.targeting_rules).toEqual((await read(staging)).targeting_rules);
  expect([copy.enabled, copy.default_variation]).toEqual([true, 'on']);
  expect(await codeOf(clone())).toBe('ENVIRONMENT_KEY_CONFLICT');
});

test('a preview shows the effect of instructions on contexts and on dependent flags', async () => {
  const waiting = await api.flags.create(booleanFlag(`${key}-waiting`));
  await api.flags.update(waiting.id, {
    prerequisites: [{ flag_key: key, variation: 'on' }],
    targeting_rules: [{ priority: 1, name: 'all', conditions: [], variation: 'on' }],
  });
  await api.flags.toggle(waiting.id, true);
  const preview = await api.flags.preview(id, {
    instructions: [{ op: 'set_default', variation: 'off' }],
    contexts: [
      { user_key: 'a', attributes: { role: 'staff' } },
      { user_key: 'b', attributes: { role: 'guest' } },
      { user_key: 'c' },
    ],
  });
  expect((await read(staging)).default_variation).toBe('on');
  expect(preview.contexts).toBe(3);
  expect(preview.transitions.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  expect(preview.changed).toBeGreaterThan(0);
  expect(preview.examples[0]).toMatchObject({ from: { variation_key: 'on' }, to: { variation_key: 'off' } });
  expect(preview.dependents).toEqual([{ flag_key: `${key}-waiting`, changed: preview.changed }]);
});

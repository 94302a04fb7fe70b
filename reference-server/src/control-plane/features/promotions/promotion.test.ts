import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let [development, staging, production] = ['', '', ''];
beforeAll(async () => {
  server = await startServer();
  ({ development, staging, production } = server.environments);
});
afterAll(() => server.close());

const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  server.call({ method, url, token: server.tokens.admin, body });
const read = async (id: string, environment: string) =>
  (await server.call({ url: `/flags/${id}?environment_id=${environment}`, token: server.tokens.viewer })).body
    .data;

let counter = 0;
let id: string;
let key: string;
const RULES = [
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
  id = (await send('POST', `/flags?environment_id=${staging}`, booleanFlag(key))).body.data.id;
  await send('PUT', `/flags/${id}?environment_id=${staging}`, {
    targeting_rules: RULES,
    default_variation: 'on',
  });
  await send('POST', `/flags/${id}/toggle?environment_id=${staging}`, { enabled: true });
});

const promote = (body: object, query = '') =>
  send('POST', `/flags/${id}/promote${query}`, {
    source_environment_id: staging,
    target_environment_ids: [production],
    ...body,
  });

test('carries rules and default, but switches nothing on unless that is said', async () => {
  const source = await read(id, staging);
  const { status, body } = await promote({});
  expect(status).toBe(200);
  expect(body.data).toMatchObject([{ environment_id: production, enabled: false, default_variation: 'on' }]);
  expect((await read(id, production)).targeting_rules).toEqual(source.targeting_rules);
  expect((await read(id, development)).targeting_rules).toEqual([]);
  await promote({ include: ['enabled'] });
  expect((await read(id, production)).enabled).toBe(true);
});

test('merges rules by id and keeps those that only the target has', async () => {
  await promote({});
  const target = await read(id, production);
  const [staff, rest] = target.targeting_rules;
  await send('PUT', `/flags/${id}?environment_id=${production}`, {
    targeting_rules: [
      { ...staff, name: 'changed' },
      rest,
      { priority: 3, name: 'own', conditions: [], variation: 'off' },
    ],
  });
  await promote({ strategy: 'merge_rules', include: ['targeting_rules'] });
  const names = (flag: { targeting_rules: { name: string }[] }) =>
    flag.targeting_rules.map((rule) => rule.name);
  expect(names(await read(id, production))).toEqual(['staff', 'rest', 'own']);
  await promote({ include: ['targeting_rules'] });
  expect(names(await read(id, production))).toEqual(['staff', 'rest']);
});

test('says before what would change in each target, and warns', async () => {
  await promote({});
  const [staff, rest] = (await read(id, staging)).targeting_rules;
  await send('POST', `/flags?environment_id=${staging}`, booleanFlag(`${key}-base`));
  const percentage_rollout = [{ variation: 'on', percentage: 5 }];
  await send('PUT', `/flags/${id}?environment_id=${staging}`, {
    targeting_rules: [staff, { ...rest, percentage_rollout }],
    prerequisites: [{ flag_key: `${key}-base`, variation: 'on' }],
  });
  const { body } = await promote({ target_environment_ids: [production, development] }, '?dry_run=true');
  expect(body.data.plan).toHaveLength(2);
  expect(body.data.plan[0]).toMatchObject({
    action: 'flag.promoted',
    resource: { id, environment_id: production },
    environment_ids: [production],
    warnings: [
      { code: 'prerequisite-off', details: { prerequisite: `${key}-base` } },
      { code: 'rollout-shrinks', details: { rule_id: rest.id } },
    ],
    gate: { allowed: true },
  });
  expect((await read(id, production)).prerequisites).toEqual([]);
});

test.each([
  ['the source itself', { target_environment_ids: [''] }, 400, 'VALIDATION_ERROR'],
  ['an unknown environment', { target_environment_ids: ['env_x'] }, 404, 'ENVIRONMENT_NOT_FOUND'],
])('refuses to promote to %s', async (_name, body, status, code) => {
  const targets = body.target_environment_ids.map((one) => one || staging);
  const answer = await promote({ target_environment_ids: targets });
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
});

test('compares two environments, and promotes all that differs', async () => {
  const compare = async (state = '') => {
    const url = `/environments/compare?source=${staging}&target=${development}&per_page=200${state}`;
    return (await server.call({ url, token: server.tokens.viewer })).body;
  };
  const differing = await compare('&state=differs');
  const mine = differing.data.find((one: { flag_key: string }) => one.flag_key === key);
  expect(Object.keys(mine.changes)).toEqual(['enabled', 'targeting_rules', 'default_variation']);
  expect(mine.changes.enabled).toEqual({ from: false, to: true });
  const promoted = await send('POST', `/environments/${staging}/promote`, {
    target_environment_id: development,
    include: ['enabled', 'targeting_rules', 'default_variation', 'prerequisites'],
  });
  expect(promoted.status).toBe(200);
  expect(promoted.body.data.promoted).toHaveLength(differing.meta.total);
  expect((await compare('&state=differs')).meta.total).toBe(0);
  expect((await compare()).data.find((one: { flag_key: string }) => one.flag_key === key)).toMatchObject({
    state: 'identical',
    changes: {},
  });
});

test('promotes only the flags that are named, all or none', async () => {
  const versions = () =>
    server.db
      .selectFrom('rulesets')
      .select(['environment_id', 'version'])
      .orderBy('environment_id')
      .execute();
  const before = await versions();
  const body = { target_environment_id: production, flag_keys: [key, 'nobody'] };
  const refused = await send('POST', `/environments/${staging}/promote`, body);
  expect([refused.status, refused.body.error.code]).toEqual([404, 'FLAG_NOT_FOUND']);
  expect(await versions()).toEqual(before);
  const done = await send('POST', `/environments/${staging}/promote`, { ...body, flag_keys: [key] });
  expect(done.body.data.promoted).toEqual([{ id, key }]);
});

test('reads the other flags of the target once for all that are promoted, and sees what it has promoted', async () => {
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
  const call = (method: 'POST' | 'PUT', url: string, body: object) =>
    counted.call({ method, url, token: counted.tokens.admin, body });
  const ids: Record<string, string> = {};
  for (const name of ['a', 'b', 'c']) {
    ids[name] = (await call('POST', `/flags?environment_id=${source}`, booleanFlag(name))).body.data.id;
  }
  const waitIn = (environment: string, name: string, flag_key: string) =>
    call('PUT', `/flags/${ids[name]}?environment_id=${environment}`, {
      prerequisites: [{ flag_key, variation: 'on' }],
    });
  await waitIn(target, 'a', 'b');
  // In this order only: b may wait for a as soon as a waits for c and no longer for b.
  await waitIn(source, 'a', 'c');
  await waitIn(source, 'b', 'a');
  readings = 0;
  const { body } = await call('POST', `/environments/${source}/promote`, { target_environment_id: target });
  expect(body.data.promoted.map((one: { key: string }) => one.key)).toEqual(['a', 'b']);
  expect(readings).toBe(1);
  await counted.close();
  await own.destroy();
});

test('says of which flag it is refused', async () => {
  const of = async (name: string) =>
    (await send('POST', `/flags?environment_id=${staging}`, booleanFlag(`${name}-${counter}`))).body.data;
  const [waiting, awaited] = [await of('waiting'), await of('awaited')];
  const prerequisites = [{ flag_key: awaited.key, variation: 'on' }];
  await send('PUT', `/flags/${waiting.id}?environment_id=${staging}`, { prerequisites });
  await send('DELETE', `/flags/${awaited.id}?environment_id=${staging}`);
  const body = { target_environment_id: production };
  const refused = await send('POST', `/environments/${staging}/promote`, body);
  expect([refused.status, refused.body.error]).toMatchObject([
    422,
    { code: 'PREREQUISITE_UNKNOWN', details: { flag_key: awaited.key, promoted_flag_key: waiting.key } },
  ]);
  await send('PUT', `/flags/${waiting.id}?environment_id=${staging}`, { prerequisites: [] });
});

test('compares environments of two projects by key', async () => {
  const project = await send('POST', '/projects', { key: `other-${counter}`, name: 'O' });
  const other = project.body.data.default_environment_id;
  await send('POST', `/flags?environment_id=${other}`, booleanFlag(key));
  await send('POST', `/flags?environment_id=${other}`, booleanFlag('only-there'));
  const { body } = await server.call({
    url: `/environments/compare?source=${production}&target=${other}&per_page=200`,
    token: server.tokens.viewer,
  });
  const states = Object.fromEntries(
    body.data.map((one: { flag_key: string; state: string }) => [one.flag_key, one.state]),
  );
  expect(states).toMatchObject({
    [key]: 'identical',
    'only-there': 'only_in_target',
    'promoted-1': 'only_in_source',
  });
});

test('copies an environment with every configuration, and no keys', async () => {
  const clone = await send('POST', `/environments/${staging}/clone`, { key: `qa-${counter}`, name: 'QA' });
  expect(clone.status).toBe(201);
  expect(clone.body.data).toMatchObject({ key: `qa-${counter}`, type: 'staging' });
  const copy = await read(id, clone.body.data.id);
  const source = await read(id, staging);
  expect(copy.targeting_rules).toEqual(source.targeting_rules);
  expect([copy.enabled, copy.default_variation]).toEqual([true, 'on']);
  const again = await send('POST', `/environments/${staging}/clone`, { key: `qa-${counter}`, name: 'QA' });
  expect(again.body.error.code).toBe('ENVIRONMENT_KEY_CONFLICT');
});

test('previews what instructions would do to contexts and to flags that wait', async () => {
  await send('POST', `/flags?environment_id=${staging}`, booleanFlag(`${key}-waiting`));
  const waiting = (
    await server.call({
      url: `/flags/by-key/${key}-waiting?environment_id=${staging}`,
      token: server.tokens.viewer,
    })
  ).body.data;
  await send('PUT', `/flags/${waiting.id}?environment_id=${staging}`, {
    prerequisites: [{ flag_key: key, variation: 'on' }],
    targeting_rules: [{ priority: 1, name: 'all', conditions: [], variation: 'on' }],
  });
  await send('POST', `/flags/${waiting.id}/toggle?environment_id=${staging}`, { enabled: true });
  const contexts = [
    { user_key: 'a', attributes: { role: 'staff' } },
    { user_key: 'b', attributes: { role: 'guest' } },
    { user_key: 'c' },
  ];
  const instructions = [{ op: 'set_default', variation: 'off' }];
  const { status, body } = await send('POST', `/flags/${id}/preview?environment_id=${staging}`, {
    instructions,
    contexts,
  });
  expect(status).toBe(200);
  const before = await read(id, staging);
  expect(before.default_variation).toBe('on');
  expect(body.data.contexts).toBe(3);
  expect(body.data.transitions.reduce((sum: number, one: { count: number }) => sum + one.count, 0)).toBe(3);
  expect(body.data.changed).toBeGreaterThan(0);
  expect(body.data.examples[0]).toMatchObject({
    from: { variation_key: 'on' },
    to: { variation_key: 'off' },
  });
  expect(body.data.dependents).toEqual([{ flag_key: `${key}-waiting`, changed: body.data.changed }]);
});

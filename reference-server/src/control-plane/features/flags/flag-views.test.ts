import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let production: string;
let staging: string;
beforeAll(async () => {
  server = await startServer();
  ({ production, staging } = server.environments);
});
afterAll(() => server.close());

function write(method: 'POST' | 'PUT' | 'PATCH', url: string, body: object, headers = {}) {
  return server.call({ method, url, token: server.tokens.editor, body, headers });
}

async function create(key: string, more: object = {}) {
  const { body } = await write('POST', `/flags?environment_id=${production}`, booleanFlag(key, more));
  return body.data as { id: string };
}

function patch(id: string, ...instructions: object[]) {
  return write('PATCH', `/flags/${id}?environment_id=${production}`, { instructions });
}

async function get(id: string, environment = production) {
  const url = `/flags/${id}?environment_id=${environment}`;
  return (await server.call({ url, token: server.tokens.viewer })).body.data;
}

const rule = (name: string, more: object = {}) => ({ name, conditions: [], variation: 'on', ...more });

test('follows instructions one after the other, all or none', async () => {
  const { id } = await create('patched', { tags: ['a'] });
  const first = await patch(
    id,
    { op: 'set_enabled', enabled: true },
    { op: 'set_name', name: 'Patched' },
    { op: 'set_description', description: 'by instructions' },
    { op: 'add_tag', tag: 'b' },
    { op: 'remove_tag', tag: 'a' },
    { op: 'add_variation', new_variation: { key: 'third', name: 'Third', value: true } },
    { op: 'remove_variation', variation: 'third' },
    { op: 'update_variation', variation: 'on', name: 'Yes' },
    { op: 'add_rule', rule: rule('one') },
    { op: 'add_rule', rule: rule('two') },
    { op: 'set_default', variation: 'on' },
  );
  expect(first.status).toBe(200);
  expect(first.body.data).toMatchObject({
    enabled: true,
    name: 'Patched',
    description: 'by instructions',
    tags: ['b'],
    default_variation: 'on',
    variations: [{ key: 'on', name: 'Yes', value: true }, { key: 'off' }],
    targeting_rules: [
      { name: 'one', priority: 1 },
      { name: 'two', priority: 2 },
    ],
  });
  const [one, two] = first.body.data.targeting_rules;
  const second = await patch(
    id,
    { op: 'move_rule', rule_id: two.id, before_rule_id: one.id },
    { op: 'add_rule', rule: rule('zero'), before_rule_id: two.id },
    { op: 'set_rollout', rule_id: one.id, percentage_rollout: [{ variation: 'on', percentage: 20 }] },
    { op: 'update_rule', rule_id: two.id, name: 'second', variation: 'off' },
  );
  expect(second.body.data.targeting_rules).toEqual([
    { id: expect.any(String), name: 'zero', priority: 1, conditions: [], variation: 'on' },
    { id: two.id, name: 'second', priority: 2, conditions: [], variation: 'off' },
    {
      id: one.id,
      name: 'one',
      priority: 3,
      conditions: [],
      percentage_rollout: [{ variation: 'on', percentage: 20 }],
    },
  ]);
  const half = await patch(id, { op: 'set_name', name: 'Half' }, { op: 'remove_rule', rule_id: 'rule_x' });
  expect([half.status, half.body.error.code, half.body.error.details]).toEqual([
    422,
    'INSTRUCTION_INVALID',
    { field: 'instructions.1.rule_id' },
  ]);
  expect((await get(id)).name).toBe('Patched');
});

test('names the field that an instruction lacks', async () => {
  const { id } = await create('lacking');
  const { status, body } = await patch(id, { op: 'set_rollout', rule_id: 'x' });
  expect([status, body.error.details.fields]).toEqual([
    400,
    [
      {
        field: 'instructions.0.percentage_rollout',
        location: 'body',
        code: 'required',
        message: 'is required by set_rollout',
      },
    ],
  ]);
  expect((await patch(id, { op: 'explode' })).status).toBe(400);
});

test.each([
  [{ op: 'remove_tag', tag: 'x' }, 'INSTRUCTION_INVALID'],
  [{ op: 'remove_prerequisite', flag_key: 'x' }, 'INSTRUCTION_INVALID'],
  [{ op: 'update_variation', variation: 'x', value: true }, 'INSTRUCTION_INVALID'],
  [{ op: 'add_rule', rule: { conditions: [], variation: 'on' }, before_rule_id: 'x' }, 'INSTRUCTION_INVALID'],
  [{ op: 'set_default', variation: 'x' }, 'DEFAULT_VARIATION_UNKNOWN'],
  [{ op: 'add_prerequisite', flag_key: 'nobody', variation: 'on' }, 'PREREQUISITE_UNKNOWN'],
  [{ op: 'update_variation', variation: 'on', value: 'text' }, 'VARIATION_VALUE_TYPE_MISMATCH'],
  [{ op: 'remove_variation', variation: 'on' }, 'VARIATION_COUNT_INVALID'],
])('refuses %j', async (instruction, code) => {
  const key = `refused-${JSON.stringify(instruction).replace(/[^a-z0-9]+/g, '-')}x`.replace(/-+/g, '-');
  const { id } = await create(key.slice(0, 90).replace(/-$/, ''));
  const { status, body } = await patch(id, instruction);
  expect([status, body.error.code]).toEqual([422, code]);
});

test('finds a flag by its key, in its project only', async () => {
  await create('by-key');
  const read = (query: string) =>
    server.call({
      url: `/flags/by-key/by-key?environment_id=${production}${query}`,
      token: server.tokens.viewer,
    });
  expect((await read('')).body.data.key).toBe('by-key');
  expect((await read(`&project_id=${server.projectId}`)).status).toBe(200);
  expect((await read('&project_id=prj_x')).body.error.code).toBe('ENVIRONMENT_NOT_FOUND');
  const none = await server.call({
    url: `/flags/by-key/nobody?environment_id=${production}`,
    token: server.tokens.viewer,
  });
  expect(none.body.error.code).toBe('FLAG_NOT_FOUND');
  // A flag is shown as it is in one environment, by its key as by its id.
  for (const url of [`/flags/by-key/by-key?project_id=${server.projectId}`, '/flags/flg_x']) {
    const { status, body } = await server.call({ url, token: server.tokens.viewer });
    expect([status, body.error.details.fields]).toMatchObject([
      400,
      [{ field: 'environment_id', location: 'query', code: 'required' }],
    ]);
  }
});

function upsert(key: string, body: object, headers = {}, query = '') {
  const url = `/projects/${server.projectId}/flags/by-key/${key}?environment_id=${production}${query}`;
  return write('PUT', url, body, headers);
}

test('makes a flag by key the first time, changes it after that, and rests when nothing differs', async () => {
  const { key: _, ...wanted } = booleanFlag('terraformed', {
    enabled: true,
    targeting_rules: [{ priority: 1, name: 'all', conditions: [], variation: 'on' }],
  });
  const made = await upsert('terraformed', wanted);
  expect([made.status, made.body.data.enabled, made.body.data.targeting_rules.length]).toEqual([
    201,
    true,
    1,
  ]);
  expect((await get(made.body.data.id, staging)).targeting_rules).toEqual([]);
  const { id, ...same } = made.body.data.targeting_rules[0];
  const again = await upsert('terraformed', { ...wanted, targeting_rules: [{ id, ...same }] });
  expect([again.status, again.body.data.revision]).toEqual([200, made.body.data.revision]);
  // As declared, without ids, which a declaration cannot know.
  const declared = await upsert('terraformed', wanted);
  expect(declared.body.data).toEqual(made.body.data);
  const changed = await upsert(
    'terraformed',
    { ...wanted, name: 'New', enabled: false },
    { 'if-match': '"1"' },
  );
  expect([changed.status, changed.body.data.name, changed.body.data.enabled]).toEqual([200, 'New', false]);
  const stale = await upsert('terraformed', wanted, { 'if-match': '"1"' });
  expect(stale.body.error.code).toBe('PRECONDITION_FAILED');
  const onlyNew = { 'if-none-match': '*' };
  const there = await upsert('terraformed', { ...wanted, name: 'Other' }, onlyNew);
  expect([there.status, there.body.error.message]).toEqual([
    412,
    'The resource is there already, and If-None-Match asks for a new one.',
  ]);
  const fresh = await upsert('fresh', booleanFlag('fresh'), onlyNew);
  expect(fresh.status).toBe(201);
  const other = await upsert('terraformed', { ...wanted, flag_type: 'string' });
  expect(other.body.error.code).toBe('FLAG_TYPE_IMMUTABLE');
  const history = await server.call({
    url: `/flags/${made.body.data.id}/history?environment_id=${production}`,
    token: server.tokens.viewer,
  });
  expect(history.body.data.map((entry: { action: string }) => entry.action)).toEqual([
    'flag.updated',
    'flag.created',
  ]);
});

test('knows the rules of a declared flag again, so that only what differs is new', async () => {
  const { key: _, ...flag } = booleanFlag('declared');
  const rule = (name: string, variation: string, priority = 1) => ({
    priority,
    name,
    conditions: [],
    variation,
  });
  const bring = async (...rules: object[]) =>
    (await upsert('declared', { ...flag, targeting_rules: rules })).body.data.targeting_rules;
  const [first, second] = await bring(rule('one', 'on'), rule('', 'off', 2));
  const changed = await bring({ ...rule('', 'off', 1) }, rule('one', 'off', 3), rule('new', 'on', 4));
  expect(changed.map(({ id }: { id: string }) => id)).toEqual([
    expect.not.stringContaining(second.id),
    first.id,
    expect.not.stringContaining(second.id),
  ]);
  const [kept] = await bring({ ...rule('renamed', 'on'), id: first.id }, rule('one', 'off', 3));
  expect(kept.id).toBe(first.id);
});

test('shows a flag in all environments, side by side', async () => {
  const { id } = await create('everywhere');
  await patch(id, { op: 'set_enabled', enabled: true });
  const { body } = await server.call({ url: `/flags/${id}/environments`, token: server.tokens.viewer });
  expect(
    body.data.map((flag: { environment_id: string; enabled: boolean }) => [
      flag.environment_id,
      flag.enabled,
    ]),
  ).toEqual([
    [server.environments.development, false],
    [staging, false],
    [production, true],
  ]);
});

test('lists who waits for a flag, and where', async () => {
  const { id } = await create('awaited');
  const waiting = await create('waiting');
  await patch(waiting.id, { op: 'add_prerequisite', flag_key: 'awaited', variation: 'on' });
  const { body } = await server.call({ url: `/flags/${id}/dependents`, token: server.tokens.viewer });
  expect(body.data).toEqual([
    { flag_id: waiting.id, flag_key: 'waiting', environment_id: production, variation: 'on' },
  ]);
});

test('copies a flag switched off, and names what another project lacks', async () => {
  const token = server.tokens.admin;
  const project = await server.call({
    method: 'POST',
    url: '/projects',
    token,
    body: { key: 'target', name: 'T' },
  });
  const segment = { key: 'clone-staff', conditions: [] };
  await server.call({ method: 'POST', url: `/projects/${server.projectId}/segments`, token, body: segment });
  const { id } = await create('original', { tags: ['t'] });
  await create('original-base');
  const staff = [{ attribute: '$segment', operator: 'one_of', value: ['clone-staff'] }];
  await patch(
    id,
    { op: 'set_enabled', enabled: true },
    { op: 'add_rule', rule: rule('everyone') },
    { op: 'add_rule', rule: rule('staff', { conditions: staff }) },
    { op: 'add_prerequisite', flag_key: 'original-base', variation: 'on' },
  );
  const clone = (body: object, query = '') =>
    write('POST', `/flags/${id}/clone?environment_id=${production}${query}`, body);
  const near = await clone({ key: 'copy', name: 'Copy' });
  expect(near.status).toBe(201);
  expect(near.body.data).toMatchObject({
    flag: { key: 'copy', name: 'Copy', enabled: false, status: 'active', tags: ['t'] },
    left_out: { segments: [], prerequisites: [], environments: [] },
  });
  expect(near.body.data.flag.targeting_rules).toHaveLength(2);
  expect(near.body.data.flag.prerequisites).toHaveLength(1);
  const far = await clone({ key: 'copy', target_project_id: project.body.data.id });
  expect(far.body.data.left_out).toEqual({
    segments: ['clone-staff'],
    prerequisites: ['original-base'],
    environments: [],
  });
  expect(far.body.data.flag).toMatchObject({ project_id: project.body.data.id, prerequisites: [] });
  const copies = await server.call({
    url: `/flags/${far.body.data.flag.id}/environments`,
    token: server.tokens.viewer,
  });
  const named = (flag: { targeting_rules: { name: string }[] }) =>
    flag.targeting_rules.map((one) => one.name);
  expect(copies.body.data.map(named)).toEqual([[], [], ['everyone']]);
  const history = await server.call({
    url: `/flags/${near.body.data.flag.id}/history?environment_id=${staging}`,
    token: server.tokens.viewer,
  });
  expect(history.body.data[0].changes.environments.to).toMatchObject({
    production: { targeting_rules: [{ name: 'staff' }, { name: 'everyone' }] },
    staging: { targeting_rules: [] },
  });
  const some = await clone({ key: 'copy-2', environment_ids: [staging] });
  expect((await get(some.body.data.flag.id)).targeting_rules).toEqual([]);
  expect((await clone({ key: 'copy' })).body.error.code).toBe('FLAG_KEY_CONFLICT');
  expect((await clone({ key: 'copy-3', environment_ids: ['env_x'] })).status).toBe(400);
  expect((await clone({ key: 'copy-3', target_project_id: 'prj_x' })).body.error.code).toBe(
    'PROJECT_NOT_FOUND',
  );
});

test('makes a draft that no ruleset holds', async () => {
  const versions = () => server.db.selectFrom('rulesets').select('version').execute();
  const before = await versions();
  const draft = await create('draft', { draft: true });
  expect((await get(draft.id)).status).toBe('draft');
  expect(await versions()).toEqual(before);
});

test('answers what a write would do, and does nothing', async () => {
  const { id } = await create('tried');
  const flags = () => server.db.selectFrom('flags').selectAll().execute();
  const before = await flags();
  const url = `/flags/${id}?environment_id=${production}&dry_run=true`;
  const tried = await write('PUT', url, { name: 'Tried', targeting_rules: [{ ...rule('r'), priority: 1 }] });
  expect(tried.status).toBe(200);
  expect(tried.body.data.plan).toEqual([
    {
      action: 'flag.updated',
      resource: { type: 'flag', id, key: 'tried', environment_id: production },
      changes: {
        name: { from: 'Flag tried', to: 'Tried' },
        targeting_rules: { from: [], to: [expect.objectContaining({ name: 'r' })] },
      },
      environment_ids: [production],
      warnings: [],
      gate: { allowed: true, code: null, message: null, details: {} },
    },
  ]);
  const created = await write(
    'POST',
    `/flags?environment_id=${production}&dry_run=true`,
    booleanFlag('not-yet'),
  );
  expect([created.status, created.body.data.plan[0].action]).toEqual([200, 'flag.created']);
  expect(
    (await write('POST', `/flags?environment_id=${production}&dry_run=true`, booleanFlag('tried'))).status,
  ).toBe(409);
  expect(
    (await write('POST', `/flags?environment_id=${production}&dry_run=1`, booleanFlag('x-y'))).status,
  ).toBe(400);
  expect(await flags()).toEqual(before);
  const strict = await write('PUT', url, { name: 'x', nonsense: 1 }, { prefer: 'handling=strict' });
  expect([strict.status, strict.body.error.details.fields[0].field]).toEqual([400, 'nonsense']);
});

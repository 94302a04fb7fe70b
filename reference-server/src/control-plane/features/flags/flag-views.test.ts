import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

type Instruction = Body<'PATCH /flags/{flag_id}'>['instructions'][number];

let server: TestServer;
let api: Api;
let production: string;
let staging: string;
beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  ({ production, staging } = server.environments);
});
afterAll(() => server.close());

const patch = (id: string, ...instructions: Instruction[]) => api.flags.patch(id, { instructions });

const rule = (name: string, more: object = {}) => ({ name, conditions: [], variation: 'on', ...more });

test('instructions are applied in order, all or none', async () => {
  const { id } = await api.flags.create(booleanFlag('patched', { tags: ['a'] }));
  const first = await patch(
    id,
    { op: 'set_enabled', enabled: true },
    { op: 'set_name', name: 'Patched' },
    { op: 'set_description', description: 'by instructions' },
    { op: 'add_tag', tag: 'b' },
    { op: 'remove_tag', tag: 'a' },
    { op: 'add_variation', new_variation: { key: 'third', name: 'Third', value: true } },
    { op: 'remove_variation', variation: 'third' },
    { op: 'update_variation', variation: 'on', name: 'Yes', description: 'The new page' },
    { op: 'set_classification', classification: 'release' },
    { op: 'set_permanent', permanent: true },
    { op: 'set_expected_end', expected_end_at: '2030-01-01T01:00:00+01:00' },
    { op: 'set_client_side', client_side: true },
    { op: 'set_track_exposures', track_exposures: true },
    { op: 'set_stale_after', stale_after_days: 30 },
    { op: 'set_owner', owner_id: null },
    { op: 'add_rule', rule: rule('one') },
    { op: 'add_rule', rule: rule('two') },
    { op: 'set_default', variation: 'on' },
  );
  expect(first).toMatchObject({
    enabled: true,
    name: 'Patched',
    description: 'by instructions',
    tags: ['b'],
    default_variation: 'on',
    variations: [{ key: 'on', name: 'Yes', description: 'The new page', value: true }, { key: 'off' }],
    classification: 'release',
    permanent: true,
    expected_end_at: '2030-01-01T00:00:00.000Z',
    client_side: true,
    track_exposures: true,
    stale_after_days: 30,
    owner_id: null,
    targeting_rules: [
      { name: 'one', priority: 1 },
      { name: 'two', priority: 2 },
    ],
  });
  const [one, two] = first.targeting_rules.map((rule) => rule.id);
  const second = await patch(
    id,
    { op: 'move_rule', rule_id: two!, before_rule_id: one! },
    { op: 'add_rule', rule: rule('zero'), before_rule_id: two! },
    { op: 'set_rollout', rule_id: one!, percentage_rollout: [{ variation: 'on', percentage: 20 }] },
    { op: 'update_rule', rule_id: two!, name: 'second', variation: 'off' },
  );
  expect(second.targeting_rules).toEqual([
    { id: expect.any(String), name: 'zero', priority: 1, conditions: [], variation: 'on' },
    { id: two, name: 'second', priority: 2, conditions: [], variation: 'off' },
    {
      id: one,
      name: 'one',
      priority: 3,
      conditions: [],
      percentage_rollout: [{ variation: 'on', percentage: 20 }],
    },
  ]);
  const half = patch(id, { op: 'set_name', name: 'Half' }, { op: 'remove_rule', rule_id: 'rule_x' });
  expect(await refused(half)).toMatchObject({
    code: 'INSTRUCTION_INVALID',
    details: { field: 'instructions.1.rule_id' },
  });
  expect((await api.flags.get(id)).name).toBe('Patched');
});

test('the refusal of an instruction names its missing field', async () => {
  const { id } = await api.flags.create(booleanFlag('lacking'));
  const { details } = await refused(patch(id, { op: 'set_rollout', rule_id: 'x' }));
  expect(details.fields).toEqual([
    {
      field: 'instructions.0.percentage_rollout',
      location: 'body',
      code: 'required',
      message: 'is required by set_rollout',
    },
  ]);
  const unknown = api.unchecked.flags.patch(id, { instructions: [{ op: 'explode' }] });
  expect(await codeOf(unknown)).toBe('VALIDATION_ERROR');
});

test.each<[Instruction, string]>([
  [{ op: 'remove_tag', tag: 'x' }, 'INSTRUCTION_INVALID'],
  [{ op: 'remove_prerequisite', flag_key: 'x' }, 'INSTRUCTION_INVALID'],
  [{ op: 'update_variation', variation: 'x', value: true }, 'INSTRUCTION_INVALID'],
  [{ op: 'add_rule', rule: { conditions: [], variation: 'on' }, before_rule_id: 'x' }, 'INSTRUCTION_INVALID'],
  [{ op: 'set_default', variation: 'x' }, 'DEFAULT_VARIATION_UNKNOWN'],
  [{ op: 'add_prerequisite', flag_key: 'nobody', variation: 'on' }, 'PREREQUISITE_UNKNOWN'],
  [{ op: 'update_variation', variation: 'on', value: 'text' }, 'VARIATION_VALUE_TYPE_MISMATCH'],
  [{ op: 'remove_variation', variation: 'on' }, 'VARIATION_COUNT_INVALID'],
])('refuses %j', async (instruction, code) => {
  const key = `refused-${instruction.op}-${code}`.toLowerCase().replaceAll('_', '-');
  const { id } = await api.flags.create(booleanFlag(key));
  expect(await codeOf(patch(id, instruction))).toBe(code);
});

test('a flag is found by its key in its project only', async () => {
  await api.flags.create(booleanFlag('by-key'));
  expect((await api.flags.getByKey('by-key')).key).toBe('by-key');
  expect(await codeOf(api.flags.getByKey('by-key', { project_id: server.projectId }))).toBe('OK');
  const elsewhere = api.flags.getByKey('by-key', { project_id: 'prj_x' });
  expect(await codeOf(elsewhere)).toBe('ENVIRONMENT_NOT_FOUND');
  expect(await codeOf(api.flags.getByKey('nobody'))).toBe('FLAG_NOT_FOUND');
  // A flag is shown as it is in one environment, so requests by key and by id must name the environment.
  for (const url of [`/flags/by-key/by-key?project_id=${server.projectId}`, '/flags/flg_x']) {
    const { status, body } = await api.raw({ url });
    expect([status, body.error.details.fields]).toMatchObject([
      400,
      [{ field: 'environment_id', location: 'query', code: 'required' }],
    ]);
  }
});

test('an upsert creates a flag or updates it, and writes nothing when nothing differs', async () => {
  const { key: _, ...flag } = booleanFlag('terraformed');
  const all = { priority: 1, name: 'all', conditions: [], variation: 'on' };
  const wanted = { ...flag, enabled: true, targeting_rules: [all] };
  const upsert = (body: Body<'PUT /projects/{project_id}/flags/by-key/{key}'>, options = {}) =>
    api.flags.upsert(server.projectId, 'terraformed', body, options);
  const created = await upsert(wanted).answer;
  expect(created.status).toBe(201);
  const { data } = created.body;
  expect(data).toMatchObject({ enabled: true, targeting_rules: [all] });
  expect((await api.in(staging).flags.get(data.id)).targeting_rules).toEqual([]);

  const again = await upsert({ ...wanted, targeting_rules: data.targeting_rules }).answer;
  expect([again.status, again.body.data.revision]).toEqual([200, data.revision]);
  // A declaration cannot know the ids of rules.
  expect(await upsert(wanted)).toEqual(data);
  const renamed = await upsert({ ...wanted, name: 'New', enabled: false }, { ifMatch: 1 });
  expect(renamed).toMatchObject({ name: 'New', enabled: false });
  expect(await codeOf(upsert(wanted, { ifMatch: 1 }))).toBe('PRECONDITION_FAILED');
  expect(await refused(upsert({ ...wanted, name: 'Other' }, { ifNoneMatch: '*' }))).toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: 'The resource exists already, and If-None-Match requires that it does not.',
  });
  expect(await codeOf(upsert({ ...wanted, flag_type: 'string' }))).toBe('FLAG_TYPE_IMMUTABLE');
  const history = await api.flags.history(data.id);
  expect(history.map(({ action }) => action)).toEqual(['flag.updated', 'flag.created']);
});

test('an upsert with If-None-Match: * only creates', async () => {
  const options = { ifNoneMatch: '*' };
  const { key, ...flag } = booleanFlag('fresh');
  const { status } = await api.flags.upsert(server.projectId, key, flag, options).answer;
  expect(status).toBe(201);
});

test('rules that an upsert repeats by name or content keep their ids', async () => {
  const { key: _, ...flag } = booleanFlag('declared');
  const rule = (name: string, variation: string, priority = 1) => ({
    priority,
    name,
    conditions: [],
    variation,
  });
  const upsert = async (...targeting_rules: (ReturnType<typeof rule> & { id?: string })[]) => {
    const body = { ...flag, targeting_rules };
    return (await api.flags.upsert(server.projectId, 'declared', body)).targeting_rules.map(({ id }) => id);
  };
  const [first, second] = await upsert(rule('one', 'on'), rule('', 'off', 2));
  const changed = await upsert(rule('', 'off', 1), rule('one', 'off', 3), rule('new', 'on', 4));
  expect(changed).toEqual([
    expect.not.stringContaining(second!),
    first,
    expect.not.stringContaining(second!),
  ]);
  const [kept] = await upsert({ ...rule('renamed', 'on'), id: first! }, rule('one', 'off', 3));
  expect(kept).toBe(first);
});

test('one request shows a flag in all environments', async () => {
  const { id } = await api.flags.create(booleanFlag('everywhere'));
  await patch(id, { op: 'set_enabled', enabled: true });
  const flags = await api.flags.environments(id);
  expect(flags.map(({ environment_id, enabled }) => [environment_id, enabled])).toEqual([
    [server.environments.development, false],
    [staging, false],
    [production, true],
  ]);
});

test('the dependents of a flag are listed with their environments', async () => {
  const { id } = await api.flags.create(booleanFlag('awaited'));
  const waiting = await api.flags.create(booleanFlag('waiting'));
  await patch(waiting.id, { op: 'add_prerequisite', flag_key: 'awaited', variation: 'on' });
  expect(await api.flags.dependents(id)).toEqual([
    { flag_id: waiting.id, flag_key: 'waiting', environment_id: production, variation: 'on' },
  ]);
});

/** A flag with a rule for everyone, a rule for a segment, and a prerequisite. */
async function createOriginal() {
  await api.segments.create(server.projectId, { key: 'clone-staff', conditions: [] });
  const { id } = await api.flags.create(booleanFlag('original', { tags: ['t'] }));
  await api.flags.create(booleanFlag('original-base'));
  const staff = [{ attribute: '$segment', operator: 'one_of' as const, value: ['clone-staff'] }];
  await patch(
    id,
    { op: 'set_enabled', enabled: true },
    { op: 'add_rule', rule: rule('everyone') },
    { op: 'add_rule', rule: rule('staff', { conditions: staff }) },
    { op: 'add_prerequisite', flag_key: 'original-base', variation: 'on' },
  );
  return id;
}

test('a cloned flag is disabled, and the answer names what the target project lacks', async () => {
  const project = await server.as('admin').projects.create({ key: 'target', name: 'T' });
  const id = await createOriginal();
  const clone = (body: Body<'POST /flags/{flag_id}/clone'>) => api.flags.clone(id, body);
  const near = await clone({ key: 'copy', name: 'Copy' });
  expect(near).toMatchObject({
    flag: { key: 'copy', name: 'Copy', enabled: false, status: 'active', tags: ['t'] },
    left_out: { segments: [], prerequisites: [], environments: [] },
  });
  expect(near.flag.targeting_rules).toHaveLength(2);
  expect(near.flag.prerequisites).toHaveLength(1);
  const history = await api.in(staging).flags.history(near.flag.id);
  expect(history[0]?.changes['environments']?.to).toMatchObject({
    production: { targeting_rules: [{ name: 'staff' }, { name: 'everyone' }] },
    staging: { targeting_rules: [] },
  });

  const far = await clone({ key: 'copy', target_project_id: project.id });
  expect(far.left_out).toEqual({
    segments: ['clone-staff'],
    prerequisites: ['original-base'],
    environments: [],
  });
  expect(far.flag).toMatchObject({ project_id: project.id, prerequisites: [] });
  const copies = await api.flags.environments(far.flag.id);
  const ruleNames = copies.map((flag) => flag.targeting_rules.map(({ name }) => name));
  expect(ruleNames).toEqual([[], [], ['everyone']]);

  const some = await clone({ key: 'copy-2', environment_ids: [staging] });
  expect((await api.flags.get(some.flag.id)).targeting_rules).toEqual([]);
  expect(await codeOf(clone({ key: 'copy' }))).toBe('FLAG_KEY_CONFLICT');
  expect(await codeOf(clone({ key: 'copy-3', environment_ids: ['env_x'] }))).toBe('VALIDATION_ERROR');
  expect(await codeOf(clone({ key: 'copy-3', target_project_id: 'prj_x' }))).toBe('PROJECT_NOT_FOUND');
});

test('a draft is in no ruleset', async () => {
  const versions = () => server.db.selectFrom('rulesets').select('version').execute();
  const before = await versions();
  const draft = await api.flags.create(booleanFlag('draft', { draft: true }));
  expect((await api.flags.get(draft.id)).status).toBe('draft');
  expect(await versions()).toEqual(before);
});

test('a dry run plans a write, and writes nothing', async () => {
  const { id } = await api.flags.create(booleanFlag('tried'));
  const flags = () => server.db.selectFrom('flags').selectAll().execute();
  const before = await flags();
  const { plan } = await api.dryRun.flags.update(id, {
    name: 'Tried',
    targeting_rules: [{ ...rule('r'), priority: 1 }],
  });
  expect(plan).toEqual([
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
  const created = await api.dryRun.flags.create(booleanFlag('not-yet')).answer;
  expect([created.status, created.body.data.plan[0]?.action]).toEqual([200, 'flag.created']);
  expect(await codeOf(api.dryRun.flags.create(booleanFlag('tried')))).toBe('FLAG_KEY_CONFLICT');
  const misspelt = api.unchecked.flags.create(booleanFlag('x-y'), { dry_run: '1' });
  expect(await codeOf(misspelt)).toBe('VALIDATION_ERROR');
  const strict = { dry_run: true, headers: { prefer: 'handling=strict' } };
  const unknown = await refused(api.unchecked.flags.update(id, { name: 'x', nonsense: 1 }, strict));
  expect(unknown.details.fields).toMatchObject([{ field: 'nonsense' }]);
  expect(await flags()).toEqual(before);
});

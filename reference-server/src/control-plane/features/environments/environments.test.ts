import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { type Body, codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let editor: Api;
let admin: Api;
beforeAll(async () => {
  server = await startServer();
  editor = server.as('editor');
  admin = server.as('admin');
});
afterAll(() => server.close());

const create = (body: Body<'POST /projects/{project_id}/environments'>) =>
  editor.environments.create(server.projectId, body);

test('a new environment has the flags of the project, disabled', async () => {
  const flag = await editor.flags.create(booleanFlag('present'));
  const { status, body, headers } = await create({ key: 'qa', name: 'QA', type: 'staging' }).answer;
  expect(status).toBe(201);
  expect(headers.etag).toBe('"1"');
  expect(body.data).toEqual({
    id: expect.stringMatching(/^env_[0-9A-Z]{26}$/),
    project_id: server.projectId,
    key: 'qa',
    name: 'QA',
    type: 'staging',
    color: '#f08c00',
    position: 3,
    critical: false,
    require_comment: false,
    confirm_changes: false,
    record_contexts: false,
    ruleset_version: 1,
    etag: null,
    revision: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    archived_at: null,
  });
  expect(await editor.in(body.data.id).flags.get(flag.id)).toMatchObject({
    enabled: false,
    default_variation: 'off',
    targeting_rules: [],
  });
});

test('a taken key, an unknown type and a 201st environment are refused', async () => {
  const taken = create({ key: 'production', name: 'x', type: 'production' });
  expect(await refused(taken)).toMatchObject({
    code: 'ENVIRONMENT_KEY_CONFLICT',
    details: { key: 'production' },
  });
  const body = { key: 'x', name: 'x', type: 'qa' };
  const typed = await refused(editor.unchecked.environments.create(server.projectId, body));
  expect(typed.details.fields[0].field).toBe('type');
  const { id } = await editor.projects.create({ key: 'full', name: 'Full', environments: [] });
  const preview = (index: number) =>
    editor.environments.create(id, { key: `e${index}`, name: 'x', type: 'staging' });
  for (let index = 0; index < 200; index++) await preview(index);
  expect(await refused(preview(200))).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { maximum: 200 } });
});

test('a clone has the settings of the original environment, and its flags unless they are excluded', async () => {
  const project = await editor.projects.create({
    key: 'copied',
    name: 'C',
    environments: [{ key: 'one', name: 'One', type: 'production' }],
  });
  const source = project.default_environment_id!;
  const settings = { color: '#123456', critical: false, require_comment: true, confirm_changes: true };
  await admin.environments.update(source, settings);
  const { flags } = editor.in(source);
  const flag = await flags.create({ ...booleanFlag('f'), comment: 'c' });
  await flags.toggle(flag.id, true, { comment: 'c' });
  const isEnabledIn = async ({ id }: { id: string }) => (await editor.in(id).flags.get(flag.id)).enabled;

  const same = await editor.environments.clone(source, { key: 'two', name: 'Two', critical: true });
  expect(same).toMatchObject({ ...settings, type: 'production', critical: true });
  expect(await isEnabledIn(same)).toBe(true);

  const other = await editor.environments.clone(source, {
    key: 'three',
    name: 'Three',
    type: 'development',
    include: [],
  });
  const byType = { critical: false, confirm_changes: false };
  expect(other).toMatchObject({ type: 'development', ...byType, require_comment: true });
  expect(other.color).not.toBe('#123456');
  expect(await isEnabledIn(other)).toBe(false);
});

test('the type of an environment cannot change while it has active API keys', async () => {
  const id = server.environments.staging;
  const key = await editor.apiKeys.create(id, { name: 'k' });
  expect(await codeOf(admin.environments.update(id, { type: 'production' }))).toBe('RESOURCE_IN_USE');
  expect(await admin.environments.update(id, { name: 'Stage', critical: true })).toMatchObject({
    name: 'Stage',
    critical: true,
    revision: 2,
  });
  await admin.apiKeys.revoke(key.id);
  expect(await codeOf(admin.environments.update(id, { type: 'development' }))).toBe('OK');
});

test('an environment is deleted with its keys, unless it is the last one', async () => {
  const project = await editor.projects.create({
    key: 'small',
    name: 'Small',
    environments: [
      { key: 'one', name: 'One', type: 'development' },
      { key: 'two', name: 'Two', type: 'development' },
    ],
  });
  const [one, two] = await editor.environments.list({ project_id: project.id });
  const { key } = await editor.apiKeys.create(one!.id, { name: 'k' });
  const readRuleset = () => codeOf(server.withKey(key!).dataPlane.ruleset());
  expect(await readRuleset()).toBe('OK');
  const { environments } = admin;
  expect(await codeOf(environments.delete(one!.id, { confirm_key: 'two' }))).toBe('VALIDATION_ERROR');
  expect(await codeOf(environments.delete(one!.id, { confirm_key: 'one' }))).toBe('OK');
  expect(await readRuleset()).toBe('INVALID_API_KEY');
  // The default environment was deleted, so the other one takes its place.
  expect((await editor.projects.get(project.id)).default_environment_id).toBe(two!.id);
  expect(await codeOf(environments.delete(two!.id, { confirm_key: 'two' }))).toBe('RESOURCE_IN_USE');
});

test('critical environments have confirm_changes on by default', async () => {
  const { id } = await editor.projects.create({ key: 'asking', name: 'Asking' });
  const settingsOf = async (body: Parameters<typeof create>[0]) => {
    const { critical, confirm_changes } = await editor.environments.create(id, body);
    return { critical, confirm_changes };
  };
  const asks = { key: 'asks', name: 'x', type: 'production' } as const;
  expect(await settingsOf(asks)).toEqual({ critical: true, confirm_changes: true });
  const silent = { ...asks, key: 'asks-nobody', confirm_changes: false };
  expect(await settingsOf(silent)).toEqual({ critical: true, confirm_changes: false });
  const mirror = { ...asks, key: 'mirror-of-production', critical: false };
  expect(await settingsOf(mirror)).toEqual({ critical: false, confirm_changes: false });
  const pilot = { key: 'pilot-asks', name: 'x', type: 'staging', critical: true } as const;
  expect(await settingsOf(pilot)).toEqual({ critical: true, confirm_changes: true });

  const asking = (await editor.environments.listOf(id)).filter((one) => one.confirm_changes);
  expect(asking.map(({ key }) => key)).toEqual(['production', 'asks', 'pilot-asks']);
});

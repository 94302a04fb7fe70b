import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

function create(body: object) {
  const url = `/projects/${server.projectId}/environments`;
  return server.call({ method: 'POST', url, token: server.tokens.editor, body });
}

const admin = (method: 'PATCH' | 'DELETE', url: string, body?: object) =>
  server.call({ method, url, token: server.tokens.admin, body });

test('creates an environment with the flags of the project, switched off', async () => {
  const flag = await server.call({
    method: 'POST',
    url: `/flags?environment_id=${server.environments.production}`,
    token: server.tokens.editor,
    body: booleanFlag('present'),
  });
  const { status, body, headers } = await create({ key: 'qa', name: 'QA', type: 'staging' });
  expect(status).toBe(201);
  expect(headers['etag']).toBe('"1"');
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
  });
  const there = await server.call({
    url: `/flags/${flag.body.data.id}?environment_id=${body.data.id}`,
    token: server.tokens.viewer,
  });
  expect(there.body.data).toMatchObject({ enabled: false, default_variation: 'off', targeting_rules: [] });
});

test('refuses a key that is taken, a type that is none, and a 26th environment', async () => {
  const taken = await create({ key: 'production', name: 'x', type: 'production' });
  expect([taken.status, taken.body.error]).toMatchObject([
    409,
    { code: 'ENVIRONMENT_KEY_CONFLICT', details: { key: 'production' } },
  ]);
  const typed = await create({ key: 'x', name: 'x', type: 'qa' });
  expect([typed.status, typed.body.error.details.fields[0].field]).toEqual([400, 'type']);
  let answer = await create({ key: 'e0', name: 'x', type: 'staging' });
  for (let index = 1; answer.status === 201; index++) {
    answer = await create({ key: `e${index}`, name: 'x', type: 'staging' });
  }
  expect(answer.body.error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { maximum: 25 } });
});

test('takes the settings of what it is a copy of, and its flags unless told otherwise', async () => {
  const project = {
    key: 'copied',
    name: 'C',
    environments: [{ key: 'one', name: 'One', type: 'production' }],
  };
  const made = await server.call({
    method: 'POST',
    url: '/projects',
    token: server.tokens.editor,
    body: project,
  });
  const source = made.body.data.default_environment_id;
  const settings = { color: '#123456', critical: false, require_comment: true, confirm_changes: true };
  await admin('PATCH', `/environments/${source}`, settings);
  const send = (url: string, body: object) =>
    server.call({ method: 'POST', url, token: server.tokens.editor, body });
  const flag = (await send(`/flags?environment_id=${source}`, { ...booleanFlag('f'), comment: 'c' })).body
    .data;
  await send(`/flags/${flag.id}/toggle?environment_id=${source}`, { enabled: true, comment: 'c' });
  const clone = async (body: object) => (await send(`/environments/${source}/clone`, body)).body.data;
  const enabledIn = async ({ id }: { id: string }) =>
    (await server.call({ url: `/flags/${flag.id}?environment_id=${id}`, token: server.tokens.viewer })).body
      .data.enabled;
  const same = await clone({ key: 'two', name: 'Two', critical: true });
  expect(same).toMatchObject({ ...settings, type: 'production', critical: true });
  expect(await enabledIn(same)).toBe(true);
  const other = await clone({ key: 'three', name: 'Three', type: 'development', include: [] });
  const ofType = { critical: false, confirm_changes: false };
  expect(other).toMatchObject({ type: 'development', ...ofType, require_comment: true });
  expect(other.color).not.toBe('#123456');
  expect(await enabledIn(other)).toBe(false);
});

test('keeps its type while keys are alive', async () => {
  const id = server.environments.staging;
  const key = await server.call({
    method: 'POST',
    url: `/environments/${id}/api-keys`,
    token: server.tokens.editor,
    body: { name: 'k' },
  });
  const refused = await admin('PATCH', `/environments/${id}`, { type: 'production' });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'RESOURCE_IN_USE']);
  expect(
    (await admin('PATCH', `/environments/${id}`, { name: 'Stage', critical: true })).body.data,
  ).toMatchObject({
    name: 'Stage',
    critical: true,
    revision: 2,
  });
  await server.call({
    method: 'DELETE',
    url: `/api-keys/${key.body.data.id}`,
    token: server.tokens.admin,
  });
  expect((await admin('PATCH', `/environments/${id}`, { type: 'development' })).status).toBe(200);
});

test('removes an environment with its keys, but not the last one', async () => {
  const project = await server.call({
    method: 'POST',
    url: '/projects',
    token: server.tokens.editor,
    body: {
      key: 'small',
      name: 'Small',
      environments: [
        { key: 'one', name: 'One', type: 'development' },
        { key: 'two', name: 'Two', type: 'development' },
      ],
    },
  });
  const list = await server.call({
    url: `/environments?project_id=${project.body.data.id}`,
    token: server.tokens.viewer,
  });
  const [one, two] = list.body.data;
  const key = await server.call({
    method: 'POST',
    url: `/environments/${one.id}/api-keys`,
    token: server.tokens.editor,
    body: { name: 'k' },
  });
  const ruleset = () => server.call({ url: '/sdk/ruleset', headers: { 'x-api-key': key.body.data.key } });
  expect((await ruleset()).status).toBe(200);
  expect((await admin('DELETE', `/environments/${one.id}?confirm_key=two`)).status).toBe(400);
  expect((await admin('DELETE', `/environments/${one.id}?confirm_key=one`)).status).toBe(204);
  expect((await ruleset()).status).toBe(401);
  // The default was removed: another one is it now.
  const after = await server.call({ url: `/projects/${project.body.data.id}`, token: server.tokens.viewer });
  expect(after.body.data.default_environment_id).toBe(two.id);
  const last = await admin('DELETE', `/environments/${two.id}?confirm_key=two`);
  expect([last.status, last.body.error.code]).toEqual([409, 'RESOURCE_IN_USE']);
});

test('asks people before changes of what is critical, as production is, unless told otherwise', async () => {
  const made = await server.call({
    method: 'POST',
    url: '/projects',
    token: server.tokens.editor,
    body: { key: 'asking', name: 'Asking' },
  });
  const url = `/projects/${made.body.data.id}/environments`;
  const of = async (body: object) => {
    const answer = await server.call({ method: 'POST', url, token: server.tokens.editor, body });
    const { critical, confirm_changes } = answer.body.data;
    return { critical, confirm_changes };
  };
  const named = (key: string, type: string, more: object = {}) => ({ key, name: key, type, ...more });
  expect(await of(named('asks', 'production'))).toEqual({ critical: true, confirm_changes: true });
  expect(await of(named('asks-nobody', 'production', { confirm_changes: false }))).toEqual({
    critical: true,
    confirm_changes: false,
  });
  expect(await of(named('mirror-of-production', 'production', { critical: false }))).toEqual({
    critical: false,
    confirm_changes: false,
  });
  expect(await of(named('pilot-asks', 'staging', { critical: true }))).toEqual({
    critical: true,
    confirm_changes: true,
  });
  const { body } = await server.call({ url, token: server.tokens.viewer });
  const asking = body.data.filter((one: { confirm_changes: boolean }) => one.confirm_changes);
  expect(asking.map(({ key }: { key: string }) => key)).toEqual(['production', 'asks', 'pilot-asks']);
});

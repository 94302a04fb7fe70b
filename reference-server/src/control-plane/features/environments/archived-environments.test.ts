import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { codeOf, refused } from '../../../../test/api-call.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
let admin: Api;
let editor: Api;
beforeEach(async () => {
  server = await startServer();
  admin = server.as('admin');
  editor = server.as('editor');
});
afterEach(() => server.close());

const keysOf = async (archived?: boolean) =>
  (await editor.environments.list({ project_id: server.projectId, ...(archived && { archived }) })).map(
    ({ key }) => key,
  );

test('an archived environment is hidden and its keys stop, until it is restored with what the flags are then', async () => {
  const { staging, development } = server.environments;
  const flag = await editor.in(staging).flags.create(booleanFlag('checkout'));
  await editor.in(staging).flags.toggle(flag.id, true);
  const { id: keyId, key } = await editor.apiKeys.create(staging, { name: 'k' });
  const readRuleset = () => codeOf(server.withKey(key!).dataPlane.ruleset());
  expect(await readRuleset()).toBe('OK');

  expect(await codeOf(editor.environments.archive(staging))).toBe('INSUFFICIENT_PERMISSIONS');
  const archived = await admin.environments.archive(staging);
  expect(archived).toMatchObject({ id: staging, revision: 2, archived_at: expect.any(String) });
  expect(await readRuleset()).toBe('INVALID_API_KEY');
  expect(await keysOf()).toEqual(['development', 'production']);
  expect(await keysOf(true)).toEqual(['staging']);
  expect((await editor.projects.get(server.projectId)).environments_count).toBe(2);
  expect((await editor.flags.environments(flag.id)).map((one) => one.environment_id)).not.toContain(staging);
  for (const call of [
    editor.environments.get(staging),
    editor.in(staging).flags.get(flag.id),
    editor.apiKeys.create(staging, { name: 'new' }),
    admin.environments.update(staging, { name: 'x' }),
  ])
    expect(await codeOf(call)).toBe('ENVIRONMENT_NOT_FOUND');
  expect(await codeOf(admin.apiKeys.revoke(keyId))).toBe('API_KEY_NOT_FOUND');

  const later = await editor.in(development).flags.create(booleanFlag('made-meanwhile'));
  await admin.environments.restore(staging);
  expect(await readRuleset()).toBe('OK');
  expect(await keysOf()).toEqual(['development', 'staging', 'production']);
  expect(await editor.in(staging).flags.get(flag.id)).toMatchObject({ enabled: true });
  expect(await editor.in(staging).flags.get(later.id)).toMatchObject({ enabled: false });
});

test('an archived environment keeps its key, and can be deleted', async () => {
  const { staging } = server.environments;
  await admin.environments.archive(staging);
  const again = { key: 'staging', name: 'Again', type: 'staging' as const };
  expect(await codeOf(editor.environments.create(server.projectId, again))).toBe('ENVIRONMENT_KEY_CONFLICT');
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', environments: [again] };
  const { plan } = (await admin.unchecked.imports.create(server.projectId, { document })) as {
    plan: { errors: readonly object[] };
  };
  expect(plan.errors).toMatchObject([{ path: 'environments.0.key', code: 'ENVIRONMENT_KEY_CONFLICT' }]);
  expect(await codeOf(admin.environments.delete(staging, { confirm_key: 'staging' }))).toBe('OK');
  expect(await codeOf(editor.environments.create(server.projectId, again))).toBe('OK');
});

test('the last environment in use can be neither archived nor deleted', async () => {
  const { development, staging, production } = server.environments;
  await admin.environments.archive(staging);
  await admin.environments.archive(production);
  expect(await codeOf(admin.environments.archive(development))).toBe('RESOURCE_IN_USE');
  const remove = admin.environments.delete(development, { confirm_key: 'development' });
  expect(await codeOf(remove)).toBe('RESOURCE_IN_USE');
});

test('environments take the order that an admin gives; those left out follow', async () => {
  const { development, staging, production } = server.environments;
  const { projectId } = server;
  const ordered = await admin.environments.order(projectId, { environment_ids: [production] });
  expect(ordered.map(({ key, position }) => [key, position])).toEqual([
    ['production', 0],
    ['development', 1],
    ['staging', 2],
  ]);
  expect(await keysOf()).toEqual(['production', 'development', 'staging']);
  const [entry] = await admin.audit.list({ action: 'environment.reordered' });
  expect(entry).toMatchObject({ resource: { type: 'project', id: projectId } });
  const ids = [development, staging, production];
  expect(await codeOf(editor.environments.order(projectId, { environment_ids: ids }))).toBe(
    'INSUFFICIENT_PERMISSIONS',
  );
  const unknown = admin.environments.order(projectId, { environment_ids: ['env_x'] });
  expect(await refused(unknown)).toMatchObject({
    code: 'ENVIRONMENT_NOT_FOUND',
    details: { environment_id: 'env_x' },
  });
});

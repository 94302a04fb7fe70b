import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

test('a suspended organization can be read and its flags are served, but every change is refused', async () => {
  const { staging } = server.environments;
  const api = server.as('admin').in(staging);
  const { id } = await api.flags.create(booleanFlag('served'));
  const { key } = await api.apiKeys.create(staging, { name: 'k' });
  const setStatus = (status: 'active' | 'suspended') =>
    server.db.updateTable('organizations').set({ status }).execute();
  await setStatus('suspended');

  expect(await codeOf(api.flags.update(id, { name: 'x' }))).toBe('ORGANIZATION_SUSPENDED');
  expect(await codeOf(api.flags.toggle(id, true))).toBe('ORGANIZATION_SUSPENDED');
  const rename = api.organizations.update(server.organizationId, { name: 'x' });
  expect(await codeOf(rename)).toBe('ORGANIZATION_SUSPENDED');
  const token = api.personalTokens.create({ name: 'x', scopes: ['read'] });
  expect(await codeOf(token)).toBe('ORGANIZATION_SUSPENDED');
  const { plan } = await api.dryRun.flags.update(id, { name: 'x' });
  expect(plan[0]!.gate).toMatchObject({ allowed: false, code: 'ORGANIZATION_SUSPENDED' });

  const viewer = (await enter(server, 'viewer@example.com')).api.in(staging);
  expect(await codeOf(viewer.flags.get(id))).toBe('OK');
  expect(await codeOf(viewer.imports.export(server.projectId))).toBe('OK');
  const { dataPlane } = server.withKey(key!);
  expect(await codeOf(dataPlane.ruleset())).toBe('OK');
  const body = { flags: ['served'], context: { user_key: 'u' } };
  expect(await codeOf(dataPlane.evaluate(body))).toBe('OK');

  await setStatus('active');
  expect(await codeOf(api.flags.update(id, { name: 'x' }))).toBe('OK');
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const TABLES = [
  'flags',
  'segments',
  'environments',
  'projects',
  'api_keys',
  'audit_entries',
  'outbox',
] as const;

test('a dry run returns the plan and leaves every table unchanged', async () => {
  const { db, environments, projectId } = server;
  const readTables = () => Promise.all(TABLES.map((table) => db.selectFrom(table).selectAll().execute()));
  const before = await readTables();
  const { dryRun } = server.as('admin');
  const calls = {
    segment: dryRun.segments.create(projectId, { key: 's', conditions: [] }),
    environment: dryRun.environments.create(projectId, { key: 'e', name: 'E', type: 'staging' }),
    project: dryRun.projects.create({ key: 'p', name: 'P' }),
    'API key': dryRun.apiKeys.create(environments.staging, { name: 'k' }),
    import: dryRun.imports.create(projectId, { document: { apiVersion: 'flagsvc/v1', kind: 'Project' } }),
  };
  for (const [name, call] of Object.entries(calls)) {
    const { plan } = await call;
    // The plan of an import ends with an entry for the import itself.
    expect([name, plan.length]).toEqual([name, name === 'import' ? 2 : 1]);
    expect(JSON.stringify(plan)).not.toMatch(/sdk-staging-\w{20}/);
  }
  expect(await readTables()).toEqual(before);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Operations that store nothing, or change only the caller's own account. */
const WITHOUT_DRY_RUN = [
  'changePassword',
  'confirmTotp',
  'createOrganization',
  'explainEvaluation',
  'logout',
  'previewFlag',
  'reauthenticate',
  'removeTotp',
  'renewRecoveryCodes',
  'startTotp',
  'testSegment',
  'testWebhook',
];

interface DocumentedOperation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly name: string }[];
}

test('every write by users takes dry_run', () => {
  const { paths } = server.app.swagger() as unknown as {
    paths: Record<string, Record<string, DocumentedOperation>>;
  };
  const isUserWrite = ([method, { security = [] }]: [string, DocumentedOperation]) =>
    method !== 'get' && security.some((one) => 'bearerAuth' in one);
  const missing = Object.values(paths)
    .flatMap((operations) => Object.entries(operations).filter(isUserWrite))
    .filter(([, { parameters = [] }]) => !parameters.some(({ name }) => name === 'dry_run'))
    .map(([, { operationId }]) => operationId);
  expect(missing.sort()).toEqual(WITHOUT_DRY_RUN);
});

const TABLES = [
  'flags',
  'segments',
  'environments',
  'projects',
  'api_keys',
  'audit_entries',
  'outbox',
] as const;

test('a dry run answers the plan and leaves every table unchanged', async () => {
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
    // The plan of an import ends with its own entry.
    expect([name, plan.length]).toEqual([name, name === 'import' ? 2 : 1]);
    expect(JSON.stringify(plan)).not.toMatch(/sdk-staging-\w{20}/);
  }
  expect(await readTables()).toEqual(before);
});

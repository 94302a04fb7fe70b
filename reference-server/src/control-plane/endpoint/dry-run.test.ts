import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../../test/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** What changes nothing that is kept, or is about one's own session. */
const WITHOUT = [
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

test('lets every write of people be tried', () => {
  const { paths } = server.app.swagger() as unknown as {
    paths: Record<
      string,
      Record<string, { operationId: string; security?: object[]; parameters?: { name: string }[] }>
    >;
  };
  const missing = Object.values(paths).flatMap((operations) =>
    Object.entries(operations)
      .filter(([method, { security }]) => method !== 'get' && security?.some((one) => 'bearerAuth' in one))
      .filter(([, { parameters = [] }]) => !parameters.some((parameter) => parameter.name === 'dry_run'))
      .map(([, { operationId }]) => operationId),
  );
  expect(missing.sort()).toEqual(WITHOUT);
});

test('leaves every table as it was, whatever is tried', async () => {
  const { call, db, tokens, environments, projectId } = server;
  const token = tokens.admin;
  const tables = [
    'flags',
    'segments',
    'environments',
    'projects',
    'api_keys',
    'audit_entries',
    'outbox',
  ] as const;
  const read = () => Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
  const before = await read();
  const tried: [url: string, body: object][] = [
    [`/projects/${projectId}/segments`, { key: 's', conditions: [] }],
    [`/projects/${projectId}/environments`, { key: 'e', name: 'E', type: 'staging' }],
    ['/projects', { key: 'p', name: 'P' }],
    [`/environments/${environments.staging}/api-keys`, { name: 'k' }],
    [`/projects/${projectId}/imports`, { document: { apiVersion: 'flagsvc/v1', kind: 'Project' } }],
  ];
  for (const [url, body] of tried) {
    const answer = await call({ method: 'POST', url: `${url}?dry_run=true`, token, body });
    // Of an import it is the plan, and that it would be applied.
    const changes = url.endsWith('/imports') ? 2 : 1;
    expect([url, answer.status, answer.body.data.plan.length]).toEqual([url, 200, changes]);
    expect(JSON.stringify(answer.body)).not.toMatch(/sdk-staging-\w{20}/);
  }
  expect(await read()).toEqual(before);
});

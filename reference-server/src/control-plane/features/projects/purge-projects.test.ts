import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { refused } from '../../../../test/api-call.ts';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let server: TestServer;
/** Calls the API as the admin; `pass` replaces it after a new login. */
let api: Api;
let reported: string[];
beforeEach(async () => {
  reported = [];
  server = await startServer({
    logger: pino({ level: 'error' }, { write: (line: string) => void reported.push(line) }),
  });
  api = server.as('admin');
});
afterEach(() => server.close());

/** Advances the clock by days, logs in again, and runs the background jobs. */
async function pass(days: number): Promise<void> {
  server.advance(days * DAY_MS);
  api = server.withToken((await enter(server, 'admin@example.com')).accessToken);
  await server.app.runBackground();
}

/** Archives a project that contains a resource of each kind; returns its id. */
async function archiveFullProject(): Promise<string> {
  const { id, default_environment_id } = await api.projects.create({ key: 'doomed', name: 'D' });
  const environment_id = default_environment_id!;
  const flag = await api.in(environment_id).flags.create(booleanFlag('inside'));
  await api.segments.create(id, { key: 's', conditions: [] });
  await api.apiKeys.create(environment_id, { name: 'k' });
  await api.scheduledChanges.create(flag.id, {
    environment_id,
    execute_at: '2027-06-01T00:00:00Z',
    changes: [{ op: 'set_enabled', enabled: true }],
  });
  await api.codeReferences.put(id, {
    repository: 'r',
    branch: 'b',
    revision: '1',
    references: [{ flag_key: 'inside', path: 'a.ts', line: 1 }],
  });
  await api.webhooks.create({ url: 'https://hooks.example.com/', events: ['*'], project_id: id });
  await api.imports.create(id, { document: { apiVersion: 'flagsvc/v1', kind: 'Project' } });
  await api.projects.archive(id, { confirm_key: 'doomed' });
  return id;
}

const archivedIds = async () => (await api.projects.list({ archived: true })).map(({ id }) => id);

test('an archived project is deleted after 30 days, and its key is free again', async () => {
  const id = await archiveFullProject();
  const createAgain = () => api.projects.create({ key: 'doomed', name: 'Again' });
  await pass(29);
  expect(await refused(createAgain())).toMatchObject({
    code: 'PROJECT_KEY_CONFLICT',
    details: {
      key: 'doomed',
      reason: 'archived',
      project_id: id,
      restorable_until: expect.stringMatching(/^2026-12-20T10:00/),
    },
  });
  await pass(2);
  for (const table of [
    'flags',
    'segments',
    'environments',
    'api_keys',
    'scheduled_changes',
    'code_references',
    'webhooks',
    'imports',
    'search_documents',
  ] as const) {
    const rows = await server.db.selectFrom(table).selectAll().where('project_id', '=', id).execute();
    expect([table, rows.length]).toEqual([table, 0]);
  }
  expect(await archivedIds()).toEqual([]);
  await createAgain();
  expect(await api.audit.list({ action: 'project.deleted' })).toMatchObject([
    { actor: { kind: 'system' }, resource: { id, key: 'doomed' } },
  ]);
});

test('a restored project is kept', async () => {
  const id = await archiveFullProject();
  await pass(20);
  await api.projects.restore(id);
  await pass(20);
  expect(await api.projects.get(id)).toMatchObject({ flags_count: 1 });
});

test('a project that cannot be deleted is logged and retried the next night, and others are still deleted', async () => {
  const ids: string[] = [];
  for (const key of ['first', 'second']) {
    const { id } = await api.projects.create({ key, name: key });
    await api.projects.archive(id, { confirm_key: key });
    ids.push(id);
  }
  const [first] = ids;
  // A row that refers to the project and is not removed with it.
  await sql.raw(`create table stuck (project_id text references projects(id))`).execute(server.db);
  await sql`insert into stuck values (${first})`.execute(server.db);
  await pass(31);
  expect(await archivedIds()).toEqual([first]);
  expect(reported).toHaveLength(1);
  expect(JSON.parse(reported[0]!)).toMatchObject({
    job: 'archived projects',
    err: { message: expect.stringContaining(`1 of 2 failed: ${first}`) },
  });
  await sql`drop table stuck`.execute(server.db);
  await pass(1);
  expect(await archivedIds()).toEqual([]);
});

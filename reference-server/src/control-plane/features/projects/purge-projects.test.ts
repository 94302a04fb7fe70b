import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, enter, startServer, type TestServer } from '../../../../test/server.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let server: TestServer;
let token: string;
let reported: string[];
beforeEach(async () => {
  reported = [];
  server = await startServer({
    logger: pino({ level: 'error' }, { write: (line: string) => void reported.push(line) }),
  });
  token = server.tokens.admin;
});
afterEach(() => server.close());

const call = (method: string, url: string, body?: object) =>
  server.call({ method: method as 'GET', url, token, body });

/** Lets days pass, logs in again, and lets the background work. */
async function pass(days: number): Promise<void> {
  server.advance(days * DAY_MS);
  token = (await enter(server, 'admin@example.com')).accessToken;
  await server.app.runBackground();
}

/** A project with one of everything, archived now; answers its id. */
async function archived(): Promise<string> {
  const { id, default_environment_id } = (await call('POST', '/projects', { key: 'doomed', name: 'D' })).body
    .data;
  const flag = await call('POST', `/flags?environment_id=${default_environment_id}`, booleanFlag('inside'));
  const made = [
    flag,
    await call('POST', `/projects/${id}/segments`, { key: 's', conditions: [] }),
    await call('POST', `/environments/${default_environment_id}/api-keys`, { name: 'k' }),
    await call('POST', `/flags/${flag.body.data.id}/scheduled-changes`, {
      environment_id: default_environment_id,
      execute_at: '2027-06-01T00:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    }),
    await call('PUT', `/projects/${id}/code-references`, {
      repository: 'r',
      branch: 'b',
      revision: '1',
      references: [{ flag_key: 'inside', path: 'a.ts', line: 1 }],
    }),
    await call('POST', '/webhooks', { url: 'https://hooks.example.com/', events: ['*'], project_id: id }),
    await call('POST', `/projects/${id}/imports`, {
      document: { apiVersion: 'flagsvc/v1', kind: 'Project' },
    }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 200, 201, 201]);
  expect((await call('DELETE', `/projects/${id}?confirm_key=doomed`)).status).toBe(204);
  return id;
}

test('removes an archived project when nobody can bring it back any more, and frees its key', async () => {
  const id = await archived();
  await pass(29);
  const refused = await call('POST', '/projects', { key: 'doomed', name: 'Again' });
  expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
    409,
    'PROJECT_KEY_CONFLICT',
    {
      key: 'doomed',
      reason: 'archived',
      project_id: id,
      restorable_until: expect.stringMatching(/^2026-12-20T10:00/),
    },
  ]);
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
  expect((await call('GET', '/projects?archived=true')).body.data).toEqual([]);
  expect((await call('POST', '/projects', { key: 'doomed', name: 'Again' })).status).toBe(201);
  const { data } = (await call('GET', '/audit-log?action=project.deleted')).body;
  expect(data).toMatchObject([{ actor: { kind: 'system' }, resource: { id, key: 'doomed' } }]);
});

test('leaves alone what was restored', async () => {
  const id = await archived();
  await pass(20);
  expect((await call('POST', `/projects/${id}/restore`)).status).toBe(200);
  await pass(20);
  expect((await call('GET', `/projects/${id}`)).body.data).toMatchObject({ flags_count: 1 });
});

test('goes on with the others when one cannot be removed, tells which, and tries it again the next night', async () => {
  const ids: string[] = [];
  for (const key of ['first', 'second']) {
    const { id } = (await call('POST', '/projects', { key, name: key })).body.data;
    await call('DELETE', `/projects/${id}?confirm_key=${key}`);
    ids.push(id);
  }
  const [first] = ids;
  // Something of it that is not removed with it, and cannot stay without it.
  await sql.raw(`create table stuck (project_id text references projects(id))`).execute(server.db);
  await sql`insert into stuck values (${first})`.execute(server.db);
  await pass(31);
  const left = async () => (await call('GET', '/projects?archived=true')).body.data.map(idOf);
  expect(await left()).toEqual([first]);
  expect(reported).toHaveLength(1);
  expect(JSON.parse(reported[0]!)).toMatchObject({
    job: 'archived projects',
    err: { message: expect.stringContaining(`1 of 2 failed: ${first}`) },
  });
  await sql`drop table stuck`.execute(server.db);
  await pass(1);
  expect(await left()).toEqual([]);
});

const idOf = ({ id }: { id: string }): string => id;

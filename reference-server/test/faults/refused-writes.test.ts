import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { booleanFlag, startServer, type TestServer } from '../server.ts';

let server: TestServer;
let apiKey: string;
beforeEach(async () => {
  server = await startServer();
  const { production } = server.environments;
  const post = (url: string, body: object) =>
    server.call({ method: 'POST', url, token: server.tokens.admin, body });
  await post(`/flags?environment_id=${production}`, booleanFlag('kept'));
  apiKey = (await post(`/environments/${production}/api-keys`, { name: 'k' })).body.data.key;
  expect((await evaluate()).status).toBe(200);
});
afterEach(() => server.close());

const evaluate = () =>
  server.call({
    method: 'POST',
    url: '/evaluate',
    headers: { 'x-api-key': apiKey },
    body: { flags: ['*'], context: { user_key: 'u' } },
  });
const pragma = (text: string) => sql.raw(`pragma ${text}`).execute(server.db);
const create = (key: string) =>
  server.call({
    method: 'POST',
    url: `/flags?environment_id=${server.environments.production}`,
    token: server.tokens.admin,
    // Long enough to need new pages.
    body: booleanFlag(key, { description: 'x'.repeat(2_000) }),
  });

// The same as from outside (disk-faults.test.ts), where no strace is: SQLite itself is told that there is no room.
test.each([
  ['no room', 'max_page_count = 1', 'max_page_count = 1073741823'],
  ['no right to write', 'query_only = on', 'query_only = off'],
])('with %s, refuses writes whole, and reads and evaluates on', async (_, break_, heal) => {
  const entries = () => server.db.selectFrom('audit_entries').select('id').execute();
  const before = await entries();
  await pragma(break_);
  for (let count = 0; count < 30; count++) {
    const { status, body } = await create(`flag-${count}`);
    if (status === 201) continue;
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const flags = await server.call({
      url: `/flags?environment_id=${server.environments.production}&per_page=200`,
      token: server.tokens.viewer,
    });
    // Each flag that is there has its entry, and the one that was refused left nothing.
    expect(flags.body.meta.total - 1).toBe((await entries()).length - before.length);
    expect((await evaluate()).status).toBe(200);
    await pragma(heal);
    expect((await create('after')).status).toBe(201);
    return;
  }
  expect.unreachable('no write was refused');
});

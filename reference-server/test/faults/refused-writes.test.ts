import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Queryable } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { Api } from '../api.ts';
import { codeOf } from '../api-call.ts';
import { newDatabase } from '../database.ts';
import { booleanFlag, startServer, type TestServer } from '../server.ts';
import { createAccounts } from '../service-account.ts';

let server: TestServer;
let api: Api;
let dataPlane: Api['dataPlane'];
beforeEach(async () => {
  server = await startServer();
  api = server.as('admin');
  await api.flags.create(booleanFlag('stored'));
  const { key } = await api.apiKeys.create(server.environments.production, { name: 'k' });
  dataPlane = server.withKey(key!).dataPlane;
  await evaluate();
});
afterEach(() => server.close());

const evaluate = () => dataPlane.evaluate({ flags: ['*'], context: { user_key: 'u' } });
const pragma = (text: string) => sql.raw(`pragma ${text}`).execute(server.db);
/** Creates a flag long enough to need new pages. Returns the code of a refusal, or `OK`. */
const create = (key: string) =>
  codeOf(api.flags.create(booleanFlag(key, { description: 'x'.repeat(2_000) })));

test('a session and tokens whose last use is due to be stored can read while nothing can be written', async () => {
  const { token } = await api.personalTokens.create({ name: 'script', scopes: ['read'] });
  const program = await createAccounts(server).start();
  await server.db.updateTable('sessions').set({ last_used_at: '2020-01-01T00:00:00.000Z' }).execute();
  await pragma('query_only = on');
  for (const reader of [api, server.withToken(token!), program.api])
    expect(await codeOf(reader.flags.list())).toBe('OK');
  expect(await create('refused')).toBe('SERVICE_UNAVAILABLE');
});

test('a session whose last use is due to be stored reads at once while another process locks the database', async () => {
  const database = await newDatabase();
  const [own, other] = [await openDatabase(database.url), await openDatabase(database.url)];
  const locked = await startServer({ db: own });
  try {
    const storeUse = (db: Queryable, at: string) =>
      db.updateTable('sessions').set({ last_used_at: at }).execute();
    await storeUse(own, '2020-01-01T00:00:00.000Z');
    const { list } = locked.as('admin').sessions;
    await other.transaction().execute(async (tx) => {
      await storeUse(tx, '2020-01-02T00:00:00.000Z');
      const startedAt = performance.now();
      for (let count = 0; count < 5; count++) await list();
      // Writes wait for up to five seconds.
      expect(performance.now() - startedAt).toBeLessThan(2_000);
    });
    await expect.poll(async () => JSON.stringify(await list())).not.toContain('"last_used_at":"2020');
  } finally {
    await locked.close();
    await other.destroy();
    await database.remove();
  }
});

// Unlike disk-faults.test.ts, this needs no strace: a pragma makes SQLite refuse writes.
test.each([
  ['the disk is full', 'max_page_count = 1', 'max_page_count = 1073741823'],
  ['the file is read-only', 'query_only = on', 'query_only = off'],
])('stores no part of a refused write and continues to serve reads when %s', async (_, break_, heal) => {
  const entries = () => server.db.selectFrom('audit_entries').select('id').execute();
  const before = await entries();
  await pragma(break_);
  for (let count = 0; count < 30; count++) {
    const code = await create(`flag-${count}`);
    if (code === 'OK') continue;
    expect(code).toBe('SERVICE_UNAVAILABLE');
    const { meta } = (await server.as('viewer').flags.list().answer).body;
    // Each stored flag has its audit entry, and the refused flag has none.
    expect(meta.total - 1).toBe((await entries()).length - before.length);
    await evaluate();
    await pragma(heal);
    expect(await create('after')).toBe('OK');
    return;
  }
  expect.unreachable('no write was refused');
});

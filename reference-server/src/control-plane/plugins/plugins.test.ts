import { Type } from 'typebox';
import { afterEach, expect, test } from 'vitest';
import type { Api } from '../../../test/api.ts';
import { refused } from '../../../test/api-call.ts';
import { openTestDatabase } from '../../../test/database.ts';
import { booleanFlag, startServer, type TestServer } from '../../../test/server.ts';
import { ApiError, actorOf, Data, data, PluginError, route, type ServerPlugin } from '../../plugin.ts';
import type { Database } from '../../storage/database.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(...plugins: readonly ServerPlugin[]): Promise<TestServer> {
  const server = await startServer({ plugins });
  closing.push(server.close);
  return server;
}

async function openDatabase(): Promise<Database> {
  const db = await openTestDatabase();
  closing.push(() => db.destroy());
  return db;
}

/** The error of a server that is built with these plugins. */
async function faultOf(...plugins: readonly ServerPlugin[]): Promise<unknown> {
  const db = await openDatabase();
  return startServer({ db, plugins }).catch((error: unknown) => error);
}

const whoAmI = (operationId: string) =>
  route({
    access: 'flag.write',
    operationId,
    tag: 'Test',
    summary: 'Read the id of the caller',
    answer: [200, Data(Type.Object({ id: Type.Union([Type.String(), Type.Null()]) }))],
  });

const withRoute = (prefix?: string): ServerPlugin => ({
  name: 'caller',
  routes: {
    ...(prefix !== undefined && { prefix }),
    register(app) {
      app.get('/caller', whoAmI('getCaller'), async (request) => data({ id: actorOf(request).id }));
    },
  },
});

const createFlag = (server: TestServer, key: string) => server.as('admin').flags.create(booleanFlag(key));
/** Calls the route of `withRoute`. */
const getCaller = (api: Api) => api.raw({ url: '/caller' });

test('a route of a plugin has access control, the error envelope and a place in the document', async () => {
  const server = await start(withRoute());
  const { id } = await server.as('editor').auth.me();
  const found = await getCaller(server.as('editor'));
  expect(found.body).toEqual({ data: { id } });
  expect(found.headers['cache-control']).toBe('no-store');
  expect((await getCaller(server.as('viewer'))).status).toBe(403);
  expect((await getCaller(server.anonymous)).body.error.code).toBe('UNAUTHENTICATED');
  const { body: document } = await server.anonymous.raw({ url: '/openapi.json' });
  expect(document.paths['/api/v1/caller'].get.operationId).toBe('getCaller');
});

test('a plugin chooses the prefix of its routes', async () => {
  const server = await start(withRoute('/plugins/caller'));
  const response = await server.app.inject({
    url: '/plugins/caller/caller',
    headers: { authorization: `Bearer ${server.tokens.admin}` },
  });
  expect(response.statusCode).toBe(200);
  expect((await getCaller(server.as('admin'))).status).toBe(404);
});

test('a guard of a plugin refuses changes after the guards of the server', async () => {
  const seen: string[] = [];
  const server = await start({
    name: 'no-spam',
    guards: [
      {
        name: 'key',
        async check(_tx, { action, plan }) {
          seen.push(action);
          if (plan.resource.key?.startsWith('spam') !== true) return undefined;
          throw new ApiError('FLAG_KEY_PATTERN_MISMATCH', { message: 'No spam.' });
        },
      },
    ],
  });
  await createFlag(server, 'ham');
  expect(await refused(createFlag(server, 'spam-1'))).toMatchObject({ status: 422, message: 'No spam.' });
  expect(seen).toContain('flag.created');
});

test('a guard of a plugin writes in the transaction of the change, and writes nothing in a dry run', async () => {
  const server = await start({
    name: 'ledger',
    migrations: [{ name: '0001-entries', up: ['create table ledger_entries (action text not null) strict'] }],
    guards: [
      {
        name: 'record',
        check: async (_tx, { action }) => ({
          async write(tx) {
            await tx.withTables<LedgerTables>().insertInto('ledger_entries').values({ action }).execute();
            return [];
          },
        }),
      },
    ],
  });
  const { db } = server;
  const actions = async () =>
    (await db.withTables<LedgerTables>().selectFrom('ledger_entries').selectAll().execute()).map(
      ({ action }) => action,
    );
  const before = (await actions()).length;
  await server.as('admin').dryRun.flags.create(booleanFlag('dry-run'));
  expect(await actions()).toHaveLength(before);
  await createFlag(server, 'created');
  expect((await actions()).slice(before)).toEqual(['flag.created']);
});

type LedgerTables = { ledger_entries: { action: string } };

test('a job of a plugin runs whenever background jobs run, or only once a night', async () => {
  const runs: string[] = [];
  const server = await start({
    name: 'counter',
    jobs: () => [
      { name: 'always', run: async () => void runs.push('always') },
      { name: 'at night', schedule: 'nightly', run: async () => void runs.push('at night') },
    ],
  });
  await server.app.runBackground();
  server.advance(24 * 60 * 60 * 1000);
  await server.app.runBackground();
  expect(runs).toEqual(['always', 'always', 'at night']);
  const rows = await server.db.selectFrom('job_runs').select('job').execute();
  expect(rows.map(({ job }) => job)).toContain('counter: at night');
});

test('a commit listener is called before the answer is sent, and its failure does not affect the answer', async () => {
  const commits: (readonly string[])[] = [];
  const server = await start({
    name: 'listener',
    commitListeners: () => [
      ({ environmentIds }) => void commits.push(environmentIds),
      () => Promise.reject(new Error('no')),
    ],
  });
  commits.length = 0;
  await createFlag(server, 'announced');
  expect(commits).toHaveLength(1);
  expect(commits[0]).toContain(server.environments.development);
});

test('migrations of a plugin run once per database, in the order of their names', async () => {
  const db = await openDatabase();
  const calls: string[] = [];
  const plugin = (...names: readonly string[]): ServerPlugin => ({
    name: 'with-tables',
    migrations: names.map((name) => ({
      name,
      up: async (_tx, engine) => void calls.push(`${name} ${engine}`),
    })),
  });
  const build = async (...names: readonly string[]) => {
    const server = await startServer({ db, plugins: [plugin(...names)] }).catch((error: Error) => error);
    if (server instanceof Error) throw server;
    await server.app.close();
  };
  await build('0002-more', '0001-first');
  await build('0001-first', '0002-more', '0003-last');
  expect(calls.map((call) => call.split(' ')[0])).toEqual(['0001-first', '0002-more', '0003-last']);
  await expect(build('0001-first')).rejects.toThrow(/^plugin "with-tables": .*0002-more is missing/);
});

test('migrations with the same name in two plugins are different', async () => {
  const up = (table: string) => [{ name: '0001', up: [`create table ${table} (id text) strict`] }];
  const server = await start(
    { name: 'one', migrations: up('one_things') },
    { name: 'two', migrations: up('two_things') },
  );
  for (const table of ['one_things', 'two_things'] as const) {
    const things = server.db.withTables<Record<typeof table, { id: string }>>();
    expect(await things.selectFrom(table).selectAll().execute()).toEqual([]);
  }
});

test('an error at start names the plugin that cannot be used', async () => {
  const faults = [
    await faultOf({ name: 'twin' }, { name: 'twin' }),
    await faultOf({ name: 'Not A Name' }),
    await faultOf({ name: 'broken', migrations: [{ name: '0001-oops', up: ['create tabel x'] }] }),
    await faultOf({
      name: 'clash',
      routes: { register: (app) => void app.get('/auth/me', whoAmI('x'), async () => '') },
    }),
  ];
  expect(faults.every((fault) => fault instanceof PluginError)).toBe(true);
  expect(faults.map((fault) => (fault as Error).message)).toEqual([
    'plugin "twin": another plugin has the same name',
    expect.stringMatching(/^plugin "Not A Name": its name does not match/),
    expect.stringMatching(/^plugin "broken": migration "0001-oops" failed: .*syntax error/),
    expect.stringMatching(
      /^plugin "clash": its routes cannot be registered: .* already declared .*\/auth\/me/,
    ),
  ]);
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { type AddressInfo, connect as connectTo, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { ask, databaseUrl, makeTemplate, POSTGRES_VARIABLE, setReadOnly } from '../database.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { booleanFlag, SECRETS, startServer, type TestServer } from '../server.ts';
import { startServer as startProcess } from '../server-process.ts';

/** A PostgreSQL that others do not need. */
let postgres: Postgres;
let server: TestServer;
let apiKey: string;

beforeAll(async () => {
  postgres = await startPostgres();
  process.env[POSTGRES_VARIABLE] = postgres.url;
  await makeTemplate(postgres.url);
  server = await startServer();
  apiKey = (await post(`/environments/${server.environments.production}/api-keys`, { name: 'k' })).body.data
    .key;
  expect((await evaluate()).status).toBe(200);
});
afterAll(async () => {
  await server.close();
  await postgres.remove();
});

const post = (url: string, body: object) =>
  server.call({ method: 'POST', url, token: server.tokens.admin, body });
const create = (key: string) =>
  post(`/flags?environment_id=${server.environments.production}`, booleanFlag(key));
const list = () =>
  server.call({
    url: `/flags?environment_id=${server.environments.production}`,
    token: server.tokens.admin,
  });
const evaluate = () =>
  server.call({
    method: 'POST',
    url: '/evaluate',
    headers: { 'x-api-key': apiKey },
    body: { flags: ['*'], context: { user_key: 'u' } },
  });
const NAME = `test_${process.pid}_1`;
/** Of the server's own database. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client(own());
  client.on('error', () => {});
  await client.connect();
  return client;
}
const own = () => databaseUrl(postgres.url, NAME);
const alterOwn = (change: string) => ask(postgres.url, `alter database ${NAME} ${change}`);
/** All of the server's; the next request opens another. */
async function cutConnections(): Promise<void> {
  await ask(
    postgres.url,
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'flagsvc'",
  );
  await setTimeout(100);
}
const outcomeOf = async (answer: ReturnType<typeof create>) => {
  const { status, body } = await answer;
  return [status, body?.error?.code];
};
const UNAVAILABLE = [503, 'SERVICE_UNAVAILABLE'];

test('is stopped and started again: evaluates on, answers 503 to the rest, and then serves all', async () => {
  await postgres.stop();
  expect(await outcomeOf(create('lost'))).toEqual(UNAVAILABLE);
  expect(await outcomeOf(list())).toEqual(UNAVAILABLE);
  expect((await evaluate()).status).toBe(200);
  await postgres.start();
  expect((await create('after')).status).toBe(201);
  expect((await list()).body.data.map(({ key }: { key: string }) => key)).toEqual(['after']);
});

test('cuts every connection: the next request has another', async () => {
  await cutConnections();
  await expect.poll(async () => (await list()).status).toBe(200);
  expect((await create('after-the-cut')).status).toBe(201);
});

test('cuts the connection of a write under way: that is refused, and nothing else', async () => {
  const client = await connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [server.organizationId]);
  const waiting = outcomeOf(create('cut'));
  const isWaiting = "select pid from pg_stat_activity where wait_event = 'advisory'";
  await expect.poll(async () => (await client.query(isWaiting)).rowCount).toBe(1);
  await client.query(`select pg_terminate_backend(pid) from (${isWaiting}) as waiting`);
  expect(await waiting).toEqual(UNAVAILABLE);
  await client.query('rollback');
  await client.end();
  expect((await create('uncut')).status).toBe(201);
});

test('says nothing more on any connection, as when the network has lost them: others take their place', async () => {
  await Promise.all([list(), list(), list()]);
  const client = await connect();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where application_name = 'flagsvc' and pid <> pg_backend_pid()",
  );
  expect(rows.length).toBeGreaterThan(2);
  const signal = (name: NodeJS.Signals): void => {
    for (const { pid } of rows) process.kill(pid, name);
  };
  signal('SIGSTOP');
  onTestFinished(() => signal('SIGCONT'));
  const answers = await Promise.all([1, 2, 3].map(() => outcomeOf(list())));
  expect(answers).toEqual(answers.map(() => UNAVAILABLE));
  expect((await list()).status).toBe(200);
  // What is worked on may take longer than that.
  const { rows: slow } = await sql`select pg_sleep(6), 1 as is_there`.execute(server.db);
  expect(slow).toMatchObject([{ is_there: 1 }]);
  await client.end();
});

test('says nothing more on a connection that has just been opened: whoever waits for it is refused', async () => {
  const { port } = new URL(own());
  const network = createServer((client) => {
    const upstream = connectTo(Number(port), '127.0.0.1');
    client.on('data', (sent) => {
      if (!sent.includes('synchronous_commit')) upstream.write(sent);
    });
    upstream.pipe(client).on('error', () => {});
    client.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void network.close());
  await once(network, 'listening');
  const through = Object.assign(new URL(own()), { port: (network.address() as AddressInfo).port });
  await expect(openDatabase(through.href)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
});

test('has an index that takes no text so long: the batch is refused as too large', async () => {
  const long = (): string => randomBytes(512).toString('hex');
  const counter = { flag_key: long(), variation_key: long(), rule_id: long(), reason: 'DEFAULT', count: 1 };
  const at = '2026-11-20T10:00:00.000Z';
  const events = [{ type: 'summary', start: at, end: at, counters: [counter] }];
  const answer = await server.call({
    method: 'POST',
    url: '/sdk/events',
    headers: { 'x-api-key': apiKey },
    body: { batch_id: 'long', events },
  });
  expect([answer.status, answer.body.error.code]).toEqual([422, 'LIMIT_EXCEEDED']);
});

test('takes no writes: they are refused, and reads are answered', async () => {
  await setReadOnly(server.db, true);
  expect((await list()).status).toBe(200);
  expect(await outcomeOf(create('read-only'))).toEqual(UNAVAILABLE);
  expect((await evaluate()).status).toBe(200);
  await setReadOnly(server.db, false);
  expect((await create('writable')).status).toBe(201);
});

test('takes writes again: so do the connections that were opened while it took none', async () => {
  await alterOwn('set default_transaction_read_only = on');
  await cutConnections();
  await Promise.all([list(), list(), list()]);
  await alterOwn('reset default_transaction_read_only');
  await expect.poll(async () => (await create('writable-again')).status).toBe(201);
  expect((await create('still-writable')).status).toBe(201);
});

test.each([
  ['does not let the role in', 'alter role flagsvc nologin', 'alter role flagsvc login'],
  ['has taken its rights', 'revoke all on flags from flagsvc', 'grant all on flags to flagsvc'],
])('%s: answers 503, and serves all when that is mended', async (_, break_, mend) => {
  await ask(own(), break_);
  await cutConnections();
  expect(await outcomeOf(list())).toEqual(UNAVAILABLE);
  expect((await evaluate()).status).toBe(200);
  await ask(own(), mend);
  expect((await list()).status).toBe(200);
});

test('cuts statements short that take too long: they are refused as an outage', async () => {
  await alterOwn("set statement_timeout = '100ms'");
  await cutConnections();
  const client = await connect();
  await client.query('begin');
  await client.query('lock table flags');
  expect(await outcomeOf(list())).toEqual(UNAVAILABLE);
  await client.end();
  await alterOwn('reset statement_timeout');
  await cutConnections();
  expect((await list()).status).toBe(200);
});

test('has a writer that does not end: others are refused after five seconds', async () => {
  const client = await connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [server.organizationId]);
  const started = performance.now();
  // The first waits for that writer, the others in this process for the first.
  const refused = await Promise.all(['a', 'b', 'c', 'd'].map((name) => outcomeOf(create(`waiting-${name}`))));
  expect(refused).toEqual(refused.map(() => UNAVAILABLE));
  expect(performance.now() - started).toBeGreaterThan(4_500);
  // Whoever gets its turn in the last moment waits for that writer too.
  expect(performance.now() - started).toBeLessThan(12_000);
  expect((await list()).status).toBe(200);
  await client.query('rollback');
  expect((await create('waited')).status).toBe(201);
  await client.end();
});

test('tells a node that starts to wait while another one migrates', async () => {
  const client = await connect();
  // The lock of Kysely's migrator.
  await client.query('select pg_advisory_lock(3853314791062309107)');
  const { child, exit, output, url } = startProcess({
    FLAGSVC_DATABASE_URL: own(),
    FLAGSVC_JWT_SECRET_KEY: SECRETS.jwtSecretKey,
    FLAGSVC_API_SECRET_KEY: SECRETS.apiSecretKey,
  });
  await expect.poll(() => output.out).toContain('waiting for another node');
  await client.end();
  expect(await url).toContain('http');
  child.kill('SIGTERM');
  expect(await exit).toBe(0);
});

test.each([
  ['nowhere', undefined, 'database "nowhere" does not exist'],
  [
    'latin',
    "create database latin template template0 encoding 'LATIN1'",
    'its encoding is LATIN1, and it must be UTF8',
  ],
])('does not start on the database %s, and says why in one line', async (name, statement, reason) => {
  if (statement !== undefined) await ask(postgres.url, statement);
  const url = databaseUrl(postgres.url, name);
  const { exit, output } = startProcess({ FLAGSVC_DATABASE_URL: url });
  expect(await exit).toBe(1);
  expect(output.err).toBe(`flagsvc cannot open ${url}: ${reason}. See FLAGSVC_DATABASE_URL.\n`);
});

/** Overwrites a page of a table or index while PostgreSQL is stopped. */
async function damage(relation: string, page: number, bytes: Buffer): Promise<void> {
  await ask(postgres.url, 'checkpoint');
  const client = await connect();
  const { rows } = await client.query<{ path: string }>(
    "select current_setting('data_directory') || '/' || pg_relation_filepath($1) as path",
    [relation],
  );
  await client.end();
  await postgres.stop();
  const file = openSync(rows[0]!.path, 'r+');
  writeSync(file, bytes, 0, bytes.length, page * bytes.length);
  closeSync(file);
  await postgres.start();
}

test('has a damaged table and a damaged index: says so by a code and in /health, and does the rest', async () => {
  const PAGE_BYTES = 8_192;
  await damage('audit_entries', 0, Buffer.alloc(PAGE_BYTES, 0xa5));
  const auditLog = () => server.call({ url: '/audit-log', token: server.tokens.admin });
  expect((await server.call({ url: '/health' })).status).toBe(200);
  const refused = await auditLog();
  expect([refused.status, refused.body.error.details]).toEqual([503, { reason: 'database_corrupt' }]);
  expect((await evaluate()).status).toBe(200);
  expect((await list()).status).toBe(200);
  const health = await server.call({ url: '/health' });
  expect([health.status, health.body.reason]).toEqual([503, 'database_corrupt']);
  expect((await server.call({ url: '/health/ready' })).status).toBe(200);
  // The page that leads to all others.
  await damage('flags_pkey', 0, Buffer.alloc(PAGE_BYTES));
  const unindexed = await create('unindexed');
  expect([unindexed.status, unindexed.body.error.details]).toEqual([503, { reason: 'database_corrupt' }]);
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { type AddressInfo, connect as connectTo, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { Api } from '../api.ts';
import { codeOf, refused } from '../api-call.ts';
import { ask, databaseUrl, makeTemplate, POSTGRES_VARIABLE, setReadOnly } from '../database.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { booleanFlag, SECRETS, startServer, type TestServer } from '../server.ts';
import { startServer as startProcess } from '../server-process.ts';

/** A PostgreSQL for this file alone, because the tests damage it. */
let postgres: Postgres;
let server: TestServer;
let dataPlane: Api['dataPlane'];

beforeAll(async () => {
  postgres = await startPostgres();
  process.env[POSTGRES_VARIABLE] = postgres.url;
  await makeTemplate(postgres.url);
  server = await startServer();
  const { key } = await server.as('admin').apiKeys.create(server.environments.production, { name: 'k' });
  dataPlane = server.withKey(key!).dataPlane;
  await evaluate();
});
afterAll(async () => {
  await server.close();
  await postgres.remove();
});

const create = (key: string) => server.as('admin').flags.create(booleanFlag(key));
const list = () => server.as('admin').flags.list();
const evaluate = () => dataPlane.evaluate({ flags: ['*'], context: { user_key: 'u' } });
const readHealth = (url = '/health') => server.anonymous.raw({ url });

/** The name of the server's database. */
const NAME = `test_${process.pid}_1`;
const ownUrl = () => databaseUrl(postgres.url, NAME);
/** A connection of the superuser to the server's database. */
async function connect(): Promise<pg.Client> {
  const client = new pg.Client(ownUrl());
  client.on('error', () => {});
  await client.connect();
  return client;
}
const alterOwn = (change: string) => ask(postgres.url, `alter database ${NAME} ${change}`);
/** Cuts all connections of the server; its next request opens a new one. */
async function cutConnections(): Promise<void> {
  await ask(
    postgres.url,
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'flagsvc'",
  );
  await setTimeout(100);
}
const UNAVAILABLE = 'SERVICE_UNAVAILABLE';

test('while PostgreSQL is stopped, only evaluations succeed; all requests succeed once it is back', async () => {
  await postgres.stop();
  expect(await codeOf(create('lost'))).toBe(UNAVAILABLE);
  expect(await codeOf(list())).toBe(UNAVAILABLE);
  await evaluate();
  await postgres.start();
  await create('after');
  expect((await list()).map(({ key }) => key)).toEqual(['after']);
});

test('requests get new connections after all connections were cut', async () => {
  await cutConnections();
  await expect.poll(() => codeOf(list())).toBe('OK');
  await create('after-the-cut');
});

test('a write whose connection is cut is refused, and the next write succeeds', async () => {
  const client = await connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [server.organizationId]);
  const waiting = codeOf(create('cut'));
  const isWaiting = "select pid from pg_stat_activity where wait_event = 'advisory'";
  await expect.poll(async () => (await client.query(isWaiting)).rowCount).toBe(1);
  await client.query(`select pg_terminate_backend(pid) from (${isWaiting}) as waiting`);
  expect(await waiting).toBe(UNAVAILABLE);
  await client.query('rollback');
  await client.end();
  await create('uncut');
});

test('connections on which PostgreSQL falls silent are replaced; a slow statement keeps its connection', async () => {
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
  const answers = await Promise.all([1, 2, 3].map(() => codeOf(list())));
  expect(answers).toEqual(answers.map(() => UNAVAILABLE));
  await list();
  // A statement may take longer than the permitted silence, as long as PostgreSQL works on it.
  const { rows: slow } = await sql`select pg_sleep(6), 1 as is_there`.execute(server.db);
  expect(slow).toMatchObject([{ is_there: 1 }]);
  await client.end();
});

test('opening a database fails when PostgreSQL falls silent on the new connection', async () => {
  const { port } = new URL(ownUrl());
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
  const through = Object.assign(new URL(ownUrl()), { port: (network.address() as AddressInfo).port });
  await expect(openDatabase(through.href)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
});

test('an event batch with keys too long for an index is refused as too large', async () => {
  const long = (): string => randomBytes(512).toString('hex');
  const counter = {
    flag_key: long(),
    variation_key: long(),
    rule_id: long(),
    reason: 'DEFAULT' as const,
    count: 1,
  };
  const at = '2026-11-20T10:00:00.000Z';
  const events = [{ type: 'summary' as const, start: at, end: at, counters: [counter] }];
  expect(await codeOf(dataPlane.sendEvents({ batch_id: 'long', events }))).toBe('LIMIT_EXCEEDED');
});

test('a read-only PostgreSQL refuses writes and answers reads', async () => {
  await setReadOnly(server.db, true);
  await list();
  expect(await codeOf(create('read-only'))).toBe(UNAVAILABLE);
  await evaluate();
  await setReadOnly(server.db, false);
  await create('writable');
});

test('connections opened while PostgreSQL is read-only can write once it is writable again', async () => {
  await alterOwn('set default_transaction_read_only = on');
  await cutConnections();
  await Promise.all([list(), list(), list()]);
  await alterOwn('reset default_transaction_read_only');
  await expect.poll(() => codeOf(create('writable-again'))).toBe('OK');
  await create('still-writable');
});

test.each([
  ["the server's role cannot log in", 'alter role flagsvc nologin', 'alter role flagsvc login'],
  [
    "the server's role cannot read a table",
    'revoke all on flags from flagsvc',
    'grant all on flags to flagsvc',
  ],
])('answers 503 while %s, and afterwards serves all requests', async (_, revoke, grant) => {
  await ask(ownUrl(), revoke);
  await cutConnections();
  expect(await codeOf(list())).toBe(UNAVAILABLE);
  await evaluate();
  await ask(ownUrl(), grant);
  await list();
});

test('a statement that PostgreSQL cancels because it takes too long is answered with 503', async () => {
  await alterOwn("set statement_timeout = '100ms'");
  await cutConnections();
  const client = await connect();
  await client.query('begin');
  await client.query('lock table flags');
  expect(await codeOf(list())).toBe(UNAVAILABLE);
  await client.end();
  await alterOwn('reset statement_timeout');
  await cutConnections();
  await list();
});

test('writes are refused after waiting five seconds for another writer', async () => {
  const client = await connect();
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [server.organizationId]);
  const started = performance.now();
  // The first of these writes waits for the other writer; the rest wait in this process for the first.
  const refused = await Promise.all(['a', 'b', 'c', 'd'].map((name) => codeOf(create(`waiting-${name}`))));
  expect(refused).toEqual(refused.map(() => UNAVAILABLE));
  expect(performance.now() - started).toBeGreaterThan(4_500);
  // A write that gets the local lock at the last moment then also waits for the other writer.
  expect(performance.now() - started).toBeLessThan(12_000);
  await list();
  await client.query('rollback');
  await create('waited');
  await client.end();
});

test('a starting node logs that it waits while another node migrates', { timeout: 120_000 }, async () => {
  const client = await connect();
  // A migration that changes nothing is due again. The lock is the one that Kysely's adapter takes.
  await client.query("delete from schema_changes where name = '0077-confirm-critical'");
  await client.query('select pg_advisory_lock(3853314791062309107)');
  const { child, exit, output, url } = startProcess({
    FLAGSVC_DATABASE_URL: ownUrl(),
    FLAGSVC_JWT_SECRET_KEY: SECRETS.jwtSecretKey,
    FLAGSVC_API_SECRET_KEY: SECRETS.apiSecretKey,
  });
  await expect.poll(() => output.out, { timeout: 60_000 }).toContain('waiting for another node');
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
])(
  'a server does not start on the database %s, and prints the reason in one line',
  async (name, statement, reason) => {
    if (statement !== undefined) await ask(postgres.url, statement);
    const url = databaseUrl(postgres.url, name);
    const { exit, output } = startProcess({ FLAGSVC_DATABASE_URL: url });
    expect(await exit).toBe(1);
    expect(output.err).toBe(`flagsvc cannot open ${url}: ${reason}. See FLAGSVC_DATABASE_URL.\n`);
  },
);

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

test('damage to a table or an index makes only the requests that read it fail, and shows in /health', async () => {
  const PAGE_BYTES = 8_192;
  await damage('audit_entries', 0, Buffer.alloc(PAGE_BYTES, 0xa5));
  expect((await readHealth()).status).toBe(200);
  const corrupt = { status: 503, details: { reason: 'database_corrupt' } };
  expect(await refused(server.as('admin').audit.list())).toMatchObject(corrupt);
  await evaluate();
  await list();
  const health = await readHealth();
  expect([health.status, health.body.reason]).toEqual([503, 'database_corrupt']);
  expect((await readHealth('/health/ready')).status).toBe(200);
  // The first page of an index leads to all others.
  await damage('flags_pkey', 0, Buffer.alloc(PAGE_BYTES));
  expect(await refused(create('unindexed'))).toMatchObject(corrupt);
});

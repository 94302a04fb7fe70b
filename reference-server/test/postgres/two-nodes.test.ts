import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildServer } from '../../src/app/build-server.ts';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { generateKey } from '../../src/publishing/key-format.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { ask, databaseUrl, makeTemplate, POSTGRES_VARIABLE, ROLE } from '../database.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { booleanFlag, SECRETS, startServer, type TestServer } from '../server.ts';

/** A PostgreSQL that others do not need, and two nodes of which one is only asked. */
let postgres: Postgres;
let server: TestServer;
let other: { readonly app: FastifyInstance; readonly db: Database };
let apiKey: string;

beforeAll(async () => {
  postgres = await startPostgres();
  process.env[POSTGRES_VARIABLE] = postgres.url;
  await makeTemplate(postgres.url);
  server = await startServer({ backgroundIntervalMs: 1_000 });
  other = await startNode();
  apiKey = await createKey();
});
afterAll(async () => {
  await other.app.close();
  await other.db.destroy();
  await server.close();
  await postgres.remove();
});

async function startNode() {
  const db = await openDatabase(databaseUrl(postgres.url, `test_${process.pid}_1`, ROLE));
  const app = await buildServer({
    db,
    ...SECRETS,
    limiter: createRateLimiter(),
    version: '0.0.0-test',
    backgroundIntervalMs: 1_000,
  });
  return { app, db };
}

const post = (url: string, body: object) =>
  server.call({ method: 'POST', url, token: server.tokens.admin, body });
const createKey = async (): Promise<string> =>
  (await post(`/environments/${server.environments.production}/api-keys`, { name: 'k' })).body.data.key;
const toggle = (id: string, enabled: boolean) =>
  post(`/flags/${id}/toggle?environment_id=${server.environments.production}`, { enabled });
const createFlag = async (key: string): Promise<string> =>
  (await post(`/flags?environment_id=${server.environments.production}`, booleanFlag(key))).body.data.id;

/** What a node serves: its tag, and which flags are on. */
async function servedBy(app: FastifyInstance) {
  const answer = await app.inject({ url: '/api/v1/sdk/ruleset', headers: { 'x-api-key': apiKey } });
  const { flags } = answer.json().data as { flags: { key: string; enabled: boolean }[] };
  return {
    tag: answer.headers.etag,
    on: flags.filter(({ enabled }) => enabled).map(({ key }) => key),
  };
}
const epochOf = () =>
  server.db
    .selectFrom('rulesets')
    .select('epoch')
    .where('environment_id', '=', server.environments.production)
    .executeTakeFirstOrThrow();

test('nodes serve what a PostgreSQL holds that has lost commits, under another epoch', async () => {
  const [lost, next] = [await createFlag('lost'), await createFlag('next')];
  const before = await epochOf();
  const goBack = await postgres.keep();
  await expect.poll(async () => (await toggle(lost, true)).status).toBe(200);
  await expect.poll(async () => (await servedBy(other.app)).on).toEqual(['lost']);
  await goBack();
  // Counted as the version that is lost.
  await expect.poll(async () => (await toggle(next, true)).status, { interval: 5 }).toBe(200);
  const first = await servedBy(server.app);
  expect(first.on).toEqual(['next']);
  await expect.poll(() => servedBy(other.app)).toEqual(first);
  expect(await epochOf()).not.toEqual(before);
  const fresh = await startNode();
  expect(await servedBy(fresh.app)).toEqual(first);
  await fresh.app.close();
  await fresh.db.destroy();
});

test('nodes know a key through an outage that comes when another key was made', async () => {
  const apps = [server.app, other.app];
  const before = await Promise.all(apps.map(servedBy));
  const fresh = await createKey();
  const headers = { 'x-api-key': fresh };
  // Whoever knows the new one has looked.
  await expect
    .poll(async () => (await other.app.inject({ url: '/api/v1/sdk/ruleset', headers })).statusCode)
    .toBe(200);
  await setTimeout(1_500);
  await postgres.stop();
  expect(await Promise.all(apps.map(servedBy))).toEqual(before);
  for (const url of ['/api/v1/evaluate', '/ofrep/v1/evaluate/flags/next']) {
    const stranger = { 'x-api-key': generateKey('production') };
    const answer = await other.app.inject({ method: 'POST', url, headers: stranger, payload: {} });
    expect([url, answer.statusCode, answer.headers['retry-after']]).toEqual([url, 503, '5']);
  }
  await postgres.start();
});

test.each([
  ['off', 'on'],
  ['remote_apply', 'remote_apply'],
])('a role whose commits are synchronous "%s" has them "%s" here', async (set, expected) => {
  await ask(postgres.url, `alter role ${ROLE} set synchronous_commit = ${set}`);
  const db = await openDatabase(databaseUrl(postgres.url, `test_${process.pid}_1`, ROLE));
  const { rows } = await sql`show synchronous_commit`.execute(db);
  expect(rows).toEqual([{ synchronous_commit: expected }]);
  await db.destroy();
});

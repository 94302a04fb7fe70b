import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildServer } from '../../src/app/build-server.ts';
import { createRateLimiter } from '../../src/http/rate-limit.ts';
import { generateKey } from '../../src/publishing/key-format.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createApi } from '../api.ts';
import { ask, databaseUrl, makeTemplate, POSTGRES_VARIABLE, ROLE } from '../database.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { booleanFlag, SECRETS, startServer, type TestServer } from '../server.ts';
import { createAppTransport } from '../transports.ts';

/** Two nodes on a PostgreSQL of their own, which the tests stop and restore. */
let postgres: Postgres;
let server: TestServer;
let other: Awaited<ReturnType<typeof startNode>>;
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
    // At this time, the access token that the first node issued to the admin is valid.
    now: () => Date.parse('2026-11-20T11:00:00.000Z'),
    backgroundIntervalMs: 1_000,
  });
  await app.ready();
  return { app, db };
}

const clientOf = (app: FastifyInstance) =>
  createApi({
    transport: createAppTransport(app),
    token: server.tokens.admin,
    environmentId: server.environments.production,
  });

const createKey = async (): Promise<string> =>
  (await clientOf(server.app).apiKeys.create(server.environments.production, { name: 'k' })).key!;
const createFlag = async (key: string): Promise<string> =>
  (await clientOf(server.app).flags.create(booleanFlag(key))).id;
/** The status of a toggle. */
const toggle = async (id: string, enabled: boolean): Promise<number> =>
  (await clientOf(server.app).flags.toggle(id, enabled).answer).status;

/** The entity tag of the ruleset that a node serves, and the flags that are on in it. */
async function readServed(app: FastifyInstance, key = apiKey) {
  const { dataPlane } = createApi({ transport: createAppTransport(app), apiKey: key });
  const { body, headers } = await dataPlane.ruleset().answer;
  const flags: readonly { key: string; enabled: boolean }[] = body.data.flags;
  return { tag: headers['etag'], on: flags.filter(({ enabled }) => enabled).map(({ key }) => key) };
}
const readEpoch = () =>
  server.db
    .selectFrom('rulesets')
    .select('epoch')
    .where('environment_id', '=', server.environments.production)
    .executeTakeFirstOrThrow();

test('after PostgreSQL has lost commits, all nodes serve the remaining state under a new epoch', async () => {
  const [lost, next] = [await createFlag('lost'), await createFlag('next')];
  const before = await readEpoch();
  const restore = await postgres.copy();
  await expect.poll(() => toggle(lost, true)).toBe(200);
  await expect.poll(async () => (await readServed(other.app)).on).toEqual(['lost']);
  await restore();
  // This write gets the version number of the lost write.
  await expect.poll(() => toggle(next, true), { interval: 5 }).toBe(200);
  const first = await readServed(server.app);
  expect(first.on).toEqual(['next']);
  await expect.poll(() => readServed(other.app)).toEqual(first);
  expect(await readEpoch()).not.toEqual(before);
  const fresh = await startNode();
  expect(await readServed(fresh.app)).toEqual(first);
  await fresh.app.close();
  await fresh.db.destroy();
});

/**
 * Writes through each node and waits until the other node serves the write, so that both nodes have checked for
 * changes.
 */
async function letNodesCheck(key: string): Promise<void> {
  const directions = [
    [server.app, other.app],
    [other.app, server.app],
  ] as const;
  for (const [writer, reader] of directions) {
    const { flags } = clientOf(writer);
    const { id } = await flags.create(booleanFlag(`check-${++checks}`));
    await flags.toggle(id, true);
    await expect.poll(async () => (await readServed(reader, key)).on).toContain(`check-${checks}`);
  }
}
let checks = 0;

test('a key that the nodes have in memory works while PostgreSQL is stopped, even after another key was created', async () => {
  const apps = [server.app, other.app];
  const observerKey = await createKey();
  // Nodes that have noticed the restored database look up all keys again.
  await letNodesCheck(observerKey);
  await Promise.all(apps.map((app) => readServed(app)));
  await createKey();
  await letNodesCheck(observerKey);
  const before = await Promise.all(apps.map((app) => readServed(app, observerKey)));
  await postgres.stop();
  expect(await Promise.all(apps.map((app) => readServed(app)))).toEqual(before);
  for (const url of ['/api/v1/evaluate', '/ofrep/v1/evaluate/flags/next']) {
    const headers = { 'x-api-key': generateKey('production') };
    const answer = await other.app.inject({ method: 'POST', url, headers, payload: {} });
    expect([url, answer.statusCode, answer.headers['retry-after']]).toEqual([url, 503, '5']);
  }
  await postgres.start();
});

test.each([
  ['off', 'on'],
  ['remote_apply', 'remote_apply'],
])(
  'the setting synchronous_commit = %s of the role becomes %s in connections of the server',
  async (setting, expected) => {
    await ask(postgres.url, `alter role ${ROLE} set synchronous_commit = ${setting}`);
    const db = await openDatabase(databaseUrl(postgres.url, `test_${process.pid}_1`, ROLE));
    const { rows } = await sql`show synchronous_commit`.execute(db);
    expect(rows).toEqual([{ synchronous_commit: expected }]);
    await db.destroy();
  },
);

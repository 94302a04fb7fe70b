import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOnPostgres, newDatabase, type SharedDatabase } from '../../test/database.ts';
import { SECRETS } from '../../test/server.ts';
import { buildServer } from '../app/build-server.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { createPostgresCounts } from '../nodes/postgres-counts.ts';
import type { Database } from '../storage/database.ts';
import { openDatabase } from '../storage/open-database.ts';
import { type ChangeWatcher, createChangeWatcher } from './change-watcher.ts';

const AT = '2026-11-20T10:00:00.000Z';

let database: SharedDatabase;
let writer: Database;
let reader: Database;
let watcher: ChangeWatcher;
let forgotten: (string | undefined)[];
/** How often the watcher has reported commits. */
let noticed: number;

beforeEach(async () => {
  database = await newDatabase();
  writer = await openDatabase(database.url);
  reader = await openDatabase(database.url);
  const app = await buildServer({
    db: writer,
    ...SECRETS,
    limiter: createRateLimiter(),
    version: '0.0.0-test',
  });
  await app.close();
  forgotten = [];
  noticed = 0;
  watcher = createChangeWatcher({
    db: reader,
    publisher: { afterCommit: async () => {}, forgetKey: (id) => void forgotten.push(id) },
    onError: (error) => expect(error).toBeUndefined(),
    onCommits: () => {
      noticed += 1;
    },
  });
});
afterEach(async () => {
  await reader.destroy();
  await writer.destroy();
  await database.remove();
});

async function makeKey(id: string, environmentId?: string): Promise<void> {
  const environment = await writer
    .selectFrom('environments')
    .selectAll()
    .$if(environmentId !== undefined, (all) => all.where('id', '=', environmentId!))
    .limit(1)
    .executeTakeFirstOrThrow();
  await writer
    .insertInto('api_keys')
    .values({
      organization_id: environment.organization_id,
      project_id: environment.project_id,
      environment_id: environment.id,
      id,
      name: id,
      kind: 'server',
      hash: id,
      prefix: 'sdk-dev-',
      last_four: '0000',
      allowed_origins_json: '[]',
      allowed_ips_json: '[]',
      rate_limits_json: '{}',
      created_by: null,
      revision: 1,
      created_at: AT,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
}

/** Checks once; returns the ids of the keys that this check tells the publisher to forget. */
async function check() {
  forgotten = [];
  await watcher.check();
  return forgotten.sort();
}

test('forgets exactly the keys that another process changed', async () => {
  for (const id of ['key_1', 'key_2', 'key_3']) await makeKey(id);
  expect(await check()).toEqual([undefined]);
  await makeKey('key_4');
  expect(await check()).toEqual(['key_4']);
  await writer.updateTable('api_keys').set({ revoked_at: AT }).where('id', '=', 'key_1').execute();
  await writer
    .updateTable('api_keys')
    .set({ expires_at: AT, revision: 2 })
    .where('id', '=', 'key_2')
    .execute();
  expect(await check()).toEqual(['key_1', 'key_2']);
  await writer.updateTable('api_keys').set({ last_used_at: AT }).execute();
  expect(await check()).toEqual([]);
  await writer.updateTable('projects').set({ archived_at: AT }).execute();
  expect(await check()).toEqual(['key_1', 'key_2', 'key_3', 'key_4']);
  await writer.deleteFrom('api_keys').where('id', '=', 'key_3').execute();
  expect(await check()).toEqual(['key_3']);
});

/** A second project with an environment and a key of its own. */
async function makeProject(id: string): Promise<void> {
  const project = await writer.selectFrom('projects').selectAll().limit(1).executeTakeFirstOrThrow();
  const environment = await writer.selectFrom('environments').selectAll().limit(1).executeTakeFirstOrThrow();
  await writer
    .insertInto('projects')
    .values({ ...project, id, key: id, default_environment_id: null })
    .execute();
  await writer
    .insertInto('environments')
    .values({ ...environment, id: `env_${id}`, project_id: id })
    .execute();
  await writer
    .insertInto('rulesets')
    .values({
      organization_id: project.organization_id,
      environment_id: `env_${id}`,
      epoch: id,
      version: 1,
      etag: null,
      updated_at: AT,
    })
    .execute();
  await makeKey(`key_of_${id}`, `env_${id}`);
}

test('finds the keys of projects archived or restored between two checks', async () => {
  await makeProject('one');
  await makeProject('two');
  const archive = (id: string, archived_at: string | null) =>
    writer
      .updateTable('projects')
      .set((eb) => ({ archived_at, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute();
  await archive('one', AT);
  await check();
  await archive('one', null);
  await archive('two', AT);
  expect(await check()).toEqual(['key_of_one', 'key_of_two']);
  // A key used while its project was archived is cached as unknown.
  await archive('one', AT);
  await archive('one', null);
  expect(await check()).toEqual(['key_of_one']);
});

test('finds deleted keys even if equally many others are added or changed', async () => {
  for (const id of ['key_1', 'key_2', 'key_3']) await makeKey(id);
  await check();
  await writer.deleteFrom('api_keys').where('id', '=', 'key_1').execute();
  await makeKey('key_4');
  expect(await check()).toEqual(['key_1', 'key_4']);
  await writer.updateTable('api_keys').set({ revoked_at: AT }).where('id', '=', 'key_2').execute();
  await check();
  await writer.deleteFrom('api_keys').where('id', '=', 'key_2').execute();
  await makeKey('key_5');
  await writer.updateTable('api_keys').set({ revoked_at: AT }).where('id', '=', 'key_3').execute();
  expect(await check()).toEqual(['key_2', 'key_3', 'key_5']);
});

test('finds the keys of a deleted environment even if another environment gets equally many new ones', async () => {
  await makeProject('one');
  await makeKey('key_1');
  await check();
  await writer.deleteFrom('environments').where('id', '=', 'env_one').execute();
  await makeKey('key_2');
  expect(await check()).toEqual(['key_2', 'key_of_one']);
});

test.runIf(isOnPostgres)('ignores commits of counts, events and leases', async () => {
  await check();
  noticed = 0;
  const counts = createPostgresCounts(writer);
  for (let round = 0; round < 3; round++) {
    await counts.add([{ key: 'one', count: 5, endsInMs: round }]);
    await counts.sweep!();
    await writer
      .updateTable('leases')
      .set({ holder: `node ${round}` })
      .execute();
    await check();
  }
  expect(noticed).toBe(0);
  await makeKey('key_1');
  expect([await check(), noticed]).toEqual([['key_1'], 1]);
});

test.runIf(isOnPostgres)(
  'finds a commit whose transaction began before other commits that it has found',
  async () => {
    await makeProject('one');
    const slow = await writer.startTransaction().execute();
    await slow.updateTable('rulesets').set({ version: 7 }).where('environment_id', '=', 'env_one').execute();
    await makeKey('key_1');
    expect(await check()).toContain(undefined);
    await createPostgresCounts(writer).add([{ key: 'one', count: 5, endsInMs: 60_000 }]);
    await check();
    noticed = 0;
    await slow.commit().execute();
    await check();
    expect(noticed).toBe(1);
    await check();
    expect(noticed).toBe(1);
  },
);

test.runIf(isOnPostgres)('forgets old records of commits, and ignores those of a restored dump', async () => {
  await check();
  const { rows } = await sql<{ now: number }>`select pg_current_xact_id()::text::bigint as now`.execute(
    writer,
  );
  // Records from a database server that had come further, whose dump was restored here.
  await sql`insert into watched_commits values (${rows[0]!.now + 1_000_000})`.execute(writer);
  noticed = 0;
  await check();
  expect(noticed).toBe(0);
  // Negative numbers stand for transactions long before.
  await sql`insert into watched_commits select -each from generate_series(200000, 200014) as each`.execute(
    writer,
  );
  for (const id of ['key_1', 'key_2', 'key_3']) await makeKey(id);
  const left = await sql`select from watched_commits where written_by < 0`.execute(writer);
  expect(left.rows).toHaveLength(0);
});

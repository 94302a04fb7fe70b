import { afterEach, beforeEach, expect, test } from 'vitest';
import { newDatabase, type SharedDatabase } from '../../test/database.ts';
import { SECRETS } from '../../test/server.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import { buildServer } from '../server.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { createOtherWriters, type OtherWriters } from './other-writers.ts';

const AT = '2026-11-20T10:00:00.000Z';

let database: SharedDatabase;
let writer: Database;
let reader: Database;
let others: OtherWriters;
let forgotten: (string | undefined)[];

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
  others = createOtherWriters({
    db: reader,
    publisher: { afterCommit: async () => {}, forgetKey: (id) => void forgotten.push(id) },
    onError: (error) => expect(error).toBeUndefined(),
  });
});
afterEach(async () => {
  await reader.destroy();
  await writer.destroy();
  await database.remove();
});

async function makeKey(id: string): Promise<void> {
  const environment = await writer.selectFrom('environments').selectAll().limit(1).executeTakeFirstOrThrow();
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
      created_by: null,
      revision: 1,
      created_at: AT,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
}

/** What is forgotten by the next look. */
async function look() {
  forgotten = [];
  await others.look();
  return forgotten.sort();
}

test('forgets the keys that another process has changed, and no others', async () => {
  for (const id of ['key_1', 'key_2', 'key_3']) await makeKey(id);
  expect(await look()).toEqual([undefined]);
  await makeKey('key_4');
  expect(await look()).toEqual(['key_4']);
  await writer.updateTable('api_keys').set({ revoked_at: AT }).where('id', '=', 'key_1').execute();
  await writer
    .updateTable('api_keys')
    .set({ expires_at: AT, revision: 2 })
    .where('id', '=', 'key_2')
    .execute();
  expect(await look()).toEqual(['key_1', 'key_2']);
  await writer.updateTable('api_keys').set({ last_used_at: AT }).execute();
  expect(await look()).toEqual([]);
  await writer.updateTable('projects').set({ archived_at: AT }).execute();
  expect(await look()).toEqual(['key_1', 'key_2', 'key_3', 'key_4']);
  await writer.deleteFrom('api_keys').where('id', '=', 'key_3').execute();
  expect(await look()).toEqual(['key_3']);
});

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newDatabase, type SharedDatabase } from '../../../../test/database.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { connectDatabase, openDatabase } from '../../../storage/open-database.ts';
import { systemActor } from '../../access/actor.ts';
import { type ChangeFeed, createChangeFeed } from './change-feed.ts';
import type { Page } from './follower.ts';

let database: SharedDatabase;
/** Writes through a connection of its own, so that it can commit while the feed reads. */
let server: TestServer;
let connection: Database;
let feed: ChangeFeed;
/** Called after each read of the feed, before the feed has the rows. */
let afterRead: () => Promise<void>;

beforeEach(async () => {
  database = await newDatabase();
  server = await startServer({ db: await openDatabase(database.url) });
  connection = await connectDatabase(database.url);
  afterRead = async () => {};
  const db = connection.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await afterRead();
      return result;
    },
  });
  feed = createChangeFeed({ db, now: () => Date.parse('2026-11-20T10:00:00.000Z') });
});
afterEach(async () => {
  feed.close();
  await connection.destroy();
  await server.close();
  await database.remove();
});

const createFlag = (key: string) => server.as('admin').flags.create(booleanFlag(key));

const page = (): Page => {
  const actor = systemActor(server.organizationId);
  return { actor, projectId: server.projectId, authenticate: async () => actor };
};

/** Begins a stream and collects what it sends. */
function read(begin: Awaited<ReturnType<ChangeFeed['follow']>>) {
  const response = new PassThrough({ encoding: 'utf8' });
  begin(response);
  let text = '';
  response.on('data', (chunk: string) => {
    text += chunk;
  });
  const keys = () =>
    [...text.matchAll(/^event: change\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!).resource.key);
  return { response, text: () => text, keys };
}

async function lastEntryId(): Promise<string> {
  const { id } = await server.db
    .selectFrom('audit_entries')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return id;
}

test('a change that is committed while a stream opens is sent, once and in order', async () => {
  await createFlag('first');
  const lastId = await lastEntryId();
  let reads = 0;
  afterRead = async () => {
    reads++;
    // Every look after a commit is a read, too: stop somewhere.
    if (reads > 6) return;
    await createFlag(`during-${reads}`);
    feed.wake();
  };
  const begin = await feed.follow(page(), lastId);
  expect(reads).toBeGreaterThanOrEqual(2);
  const { keys } = read(begin);
  await expect.poll(keys).toEqual([1, 2, 3, 4, 5, 6].map((count) => `during-${count}`));
});

test('a change that is committed after the last read of an opening stream is sent', async () => {
  await createFlag('first');
  const begin = await feed.follow(page(), await lastEntryId());
  await createFlag('late');
  feed.wake();
  // The feed has looked when another page has joined.
  await feed.follow(page(), undefined);
  await expect.poll(read(begin).keys).toEqual(['late']);
});

test('more changes than are kept while a stream opens make the page load again', async () => {
  const begin = await feed.follow(page(), undefined);
  await createFlag('kept');
  const row = await server.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('id', '=', await lastEntryId())
    .executeTakeFirstOrThrow();
  for (let count = 0; count < 200; count++) {
    const id = `${row.id.slice(0, -3)}${String(count).padStart(3, '0')}`;
    await server.db
      .insertInto('audit_entries')
      .values({ ...row, id })
      .execute();
  }
  feed.wake();
  await feed.follow(page(), undefined);
  await expect.poll(read(begin).text).toContain('event: reload');
});

test('a stream whose session ends while it opens says so and ends', async () => {
  const { id } = await server.as('editor').auth.me();
  const actor = { ...page().actor, id };
  const authenticate = () => Promise.reject(new ApiError('UNAUTHENTICATED'));
  const begin = await feed.follow({ ...page(), actor, authenticate }, undefined);
  await server.as('editor').auth.logout();
  feed.wake();
  await feed.follow(page(), undefined);
  const { text, response } = read(begin);
  await expect.poll(text).toContain('"reason":"session_ended"');
  expect(response.writableEnded).toBe(true);
});

test('a stream that opens while the server stops says so and ends', async () => {
  const begin = await feed.follow(page(), undefined);
  feed.close();
  const stopped = read(begin);
  await expect.poll(stopped.text).toMatch(/event: hello\n.*\n\nevent: goodbye\ndata: {"reason":"shutdown"}/);
  expect(stopped.response.writableEnded).toBe(true);
  const late = read(await feed.follow(page(), undefined));
  await expect.poll(late.text).toContain('"reason":"shutdown"');
});

test('a stream that cannot be opened leaves no place taken', async () => {
  afterRead = () => Promise.reject(new Error('The database has gone away.'));
  for (let count = 0; count < 11; count++)
    await expect(feed.follow(page(), undefined)).rejects.toThrow('gone away');
  afterRead = async () => {};
  for (let count = 0; count < 11; count++)
    (await feed.follow(page(), undefined))(new PassThrough().destroy());
});

import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newDatabase, type SharedDatabase } from '../../../../test/database.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';
import { ApiError } from '../../../http/errors.ts';
import type { Database } from '../../../storage/database.ts';
import { firstIdAt } from '../../../storage/ids.ts';
import { connectDatabase, openDatabase } from '../../../storage/open-database.ts';
import type { AuditEntryTable } from '../../../storage/tables.ts';
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
let clock: number;

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
  clock = Date.parse('2026-11-20T10:00:00.000Z');
  feed = createChangeFeed({ db, now: () => clock });
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
  const ids = () => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  return { response, text: () => text, keys, ids };
}

function lastEntry(): Promise<AuditEntryTable> {
  return server.db.selectFrom('audit_entries').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
}

async function lastEntryId(): Promise<string> {
  return (await lastEntry()).id;
}

/** Commits an entry whose id was made at another time, as by a node that has just waited for a lock. */
async function addEntry(entry: AuditEntryTable): Promise<string> {
  await server.db.insertInto('audit_entries').values(entry).execute();
  return entry.id;
}

const idAt = (ms: number): string => `${firstIdAt('evt', ms)}0000000000000000`;
const SECOND = 1_000;

test('a change whose id is smaller than that of the last one is sent after a reconnection', async () => {
  await createFlag('first');
  const last = await lastEntry();
  const late = await addEntry({ ...last, id: idAt(clock - 20 * SECOND) });
  const { ids } = read(await feed.follow(page(), last.id));
  await expect.poll(ids).toContain(late);
  expect(ids()).not.toContain(last.id);
});

test('a change is sent although the look at it failed and the next one comes minutes later', async () => {
  await createFlag('first');
  const { text, keys } = read(await feed.follow(page(), undefined));
  let failures = 0;
  afterRead = async () => {
    failures++;
    throw new Error('The database is locked.');
  };
  await createFlag('unseen');
  feed.wake();
  await expect.poll(() => failures).toBe(1);
  afterRead = async () => {};
  clock += 300 * SECOND;
  feed.wake();
  await expect.poll(keys).toEqual(['unseen']);
  expect(text()).not.toContain('reload');
});

test('a clock that is set back repeats no change', async () => {
  await createFlag('first');
  const old = await addEntry({ ...(await lastEntry()), id: idAt(clock - 600 * SECOND) });
  const { text, keys } = read(await feed.follow(page(), undefined));
  clock -= 3_600 * SECOND;
  await createFlag('second');
  feed.wake();
  await expect.poll(keys).toEqual(['second']);
  expect(text()).not.toContain(old);
});

test('more changes in one look than can be sent one by one make open pages load again', async () => {
  const { text, keys } = read(await feed.follow(page(), undefined));
  const row = await lastEntry();
  const prefix = idAt(clock + SECOND).slice(0, -5);
  const many = Array.from({ length: 10_001 }, (_, count) => ({
    ...row,
    id: `${prefix}${String(count).padStart(5, '0')}`,
  }));
  for (let from = 0; from < many.length; from += 500)
    await server.db
      .insertInto('audit_entries')
      .values(many.slice(from, from + 500))
      .execute();
  feed.wake();
  await expect.poll(text).toContain('event: reload');
  expect(keys()).toEqual([]);
});

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
  const during = () => keys().filter((key) => key?.startsWith('during-'));
  await expect.poll(during).toEqual([1, 2, 3, 4, 5, 6].map((count) => `during-${count}`));
});

test('a change that is committed after the last read of an opening stream is sent', async () => {
  await createFlag('first');
  const begin = await feed.follow(page(), await lastEntryId());
  await createFlag('late');
  feed.wake();
  // The feed has looked when another page has joined.
  await feed.follow(page(), undefined);
  const { keys } = read(begin);
  await expect.poll(() => keys().at(-1)).toBe('late');
});

test('more changes than are kept while a stream opens make the page load again', async () => {
  const begin = await feed.follow(page(), undefined);
  await createFlag('kept');
  const row = await lastEntry();
  for (let count = 0; count < 200; count++)
    await addEntry({ ...row, id: `${row.id.slice(0, -3)}${String(count).padStart(3, '0')}` });
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

import { describe } from 'vitest';
import { isOnPostgres, newDatabase, newEmptyDatabase, openTestDatabase } from '../../../../test/database.ts';
import { eventsOf } from '../../../storage/events/event-database.ts';
import { openDatabase } from '../../../storage/open-database.ts';
import { testEventStore } from './event-store.contract.ts';

describe(isOnPostgres ? 'on PostgreSQL' : 'on SQLite in memory', () => {
  testEventStore(async () => {
    const db = await openTestDatabase();
    return { db: eventsOf(db), close: () => db.destroy() };
  });
});

describe.skipIf(isOnPostgres)('on an SQLite file, whose statements run in threads', () => {
  testEventStore(async () => {
    const { url, remove } = await newDatabase();
    const db = await openDatabase(url);
    return { db: eventsOf(db), close: () => db.destroy().then(remove) };
  });
});

describe.runIf(isOnPostgres)('on a PostgreSQL database of its own', () => {
  testEventStore(async () => {
    const { url, remove } = await newEmptyDatabase();
    const db = await openDatabase('sqlite::memory:', { eventsUrl: url });
    return { db: eventsOf(db), close: () => db.destroy().then(remove) };
  });
});

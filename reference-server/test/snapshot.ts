import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open-database.ts';
import { FOLDER_IN_MEMORY } from './database.ts';

/** Whether this machine can keep snapshots. */
export const canSnapshot = FOLDER_IN_MEMORY !== undefined;

/** Copies an SQLite database for the lifetime of this process. Each call of the result opens a fresh copy of it. */
export async function takeSnapshot(db: Database): Promise<() => Promise<Database>> {
  const folder = mkdtempSync(join(FOLDER_IN_MEMORY!, 'flagsvc-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const kept = join(folder, 'kept.db');
  await sql.raw(`vacuum into '${kept}'`).execute(db);
  let count = 0;
  return async () => {
    const path = join(folder, `${++count}.db`);
    copyFileSync(kept, path);
    const copy = await openDatabase(`sqlite:${path}`, { eventsUrl: 'sqlite::memory:' });
    const destroy = copy.destroy.bind(copy);
    const remove = (): void => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    };
    return Object.assign(copy, { destroy: () => destroy().then(remove) });
  };
}

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { defaultEventsUrl } from '../../src/storage/events/events-url.ts';
import {
  databaseUrl,
  isOnPostgres,
  newEmptyDatabase,
  POSTGRES_VARIABLE,
  ROLE,
  type SharedDatabase,
} from '../database.ts';
import { loadPostgres } from './postgres-dump.ts';
import { type Engine, pathOf, readCompressed } from './release-files.ts';

/** The engine of this test run. */
export const ENGINE: Engine = isOnPostgres ? 'postgres' : 'sqlite';

/** Creates a database with the content of a release. */
export async function loadRelease(release: string): Promise<SharedDatabase> {
  const database = await newEmptyDatabase();
  const content = readCompressed(release, ENGINE);
  if (isOnPostgres) {
    const name = new URL(database.url).pathname.slice(1);
    const asSuperuser = databaseUrl(process.env[POSTGRES_VARIABLE]!, name);
    await loadPostgres(asSuperuser, content.toString(), ROLE);
  } else {
    const path = database.url.slice('sqlite:'.length);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    if (existsSync(pathOf(release, 'events'))) {
      const eventsPath = defaultEventsUrl(database.url).slice('sqlite:'.length);
      writeFileSync(eventsPath, readCompressed(release, 'events'));
    }
  }
  return database;
}

import { existsSync } from 'node:fs';
import { sqliteFileOf, withoutSecrets } from '../../storage/database-url.ts';
import { eventMigrationsOf } from '../../storage/events/open-events.ts';
import { readMigrationState } from '../../storage/migration-state.ts';
import { connectDatabase } from '../../storage/open-database.ts';
import { queryOver } from '../../storage/sqlite.ts';
import { openReadOnly } from '../../storage/sqlite-file.ts';
import type { OperatorContext } from '../command.ts';
import { attempt } from './attempt.ts';
import type { CheckResult, CheckResults } from './check-result.ts';
import { checkIntegrity, checkMigrations, type IntegrityDepth } from './check-schema.ts';

/** Checks the database of events; empty if the events are in the main database. */
export async function checkEvents(context: OperatorContext, depth: IntegrityDepth): Promise<CheckResults> {
  const { databaseUrl, eventsUrl } = context;
  if (eventsUrl === databaseUrl) return new Map();
  const file = sqliteFileOf(eventsUrl);
  if (file !== undefined && !existsSync(file)) {
    const message = `${file} does not exist yet; the server creates it when it starts`;
    return new Map([['events', { status: 'warning', message }]]);
  }
  return new Map([
    ['events', await attempt(() => (file === undefined ? checkPlace(eventsUrl) : checkFile(file, depth)))],
  ]);
}

async function checkFile(file: string, depth: IntegrityDepth): Promise<CheckResult> {
  const connection = openReadOnly(file);
  try {
    const integrity = checkIntegrity(connection, depth);
    if (integrity.status !== 'ok') return { ...integrity, message: `${file}: ${integrity.message}` };
    const state = await readMigrationState(queryOver(connection), eventMigrationsOf('sqlite:'));
    const { message, ...rest } = checkMigrations(state);
    return { ...rest, message: `${file}: ${integrity.message}; ${message}` };
  } finally {
    connection.close();
  }
}

async function checkPlace(eventsUrl: string): Promise<CheckResult> {
  const db = await connectDatabase(eventsUrl);
  try {
    const { message, ...rest } = checkMigrations(await readMigrationState(db, eventMigrationsOf(eventsUrl)));
    return { ...rest, message: `${withoutSecrets(eventsUrl)}: ${message}` };
  } finally {
    await db.destroy();
  }
}

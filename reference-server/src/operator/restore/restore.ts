import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPostgresUrl, sqliteFileOf } from '../../storage/database-url.ts';
import { openReadOnly } from '../../storage/sqlite-file.ts';
import { type OperatorContext, type Outcome, Refusal } from '../command.ts';
import { rethrowFault } from '../faults.ts';
import { makeFolder } from '../files.ts';
import { POSTGRES_RESTORE, refusePostgres } from '../postgres-advice.ts';
import { createWorkFile, removeAbandoned, removeWorkFile } from '../work-file.ts';
import { type FoundBackup, findBackup, type SourceOptions } from './find-backup.ts';
import { removeUnfinished, takeDatabase } from './replace-database.ts';
import { reportRestore } from './restore-report.ts';
import { stageBackup } from './stage.ts';
import { type StagedEvents, stageEvents } from './stage-events.ts';

export interface RestoreOptions extends SourceOptions {
  /** Replace an existing database. Its files are kept under other names. */
  readonly replace: boolean;
}

/**
 * Puts a backup in the place of the SQLite database. The server must not run. Everything is verified before the present
 * database changes, and the change is one rename. Throws Refusal if the backup is damaged, changed, of a newer version
 * or of other secrets.
 */
export async function restore(context: OperatorContext, options: RestoreOptions): Promise<Outcome> {
  if (isPostgresUrl(context.databaseUrl)) refusePostgres(POSTGRES_RESTORE);
  const named = sqliteFileOf(context.databaseUrl);
  if (named === undefined) {
    throw new Refusal('A database in memory cannot be restored. Set FLAGSVC_DATABASE_URL to a file.');
  }
  // The file is replaced, not a symbolic link to it.
  const path = existsSync(named) ? realpathSync(named) : named;
  const folder = dirname(path);
  const startedAt = context.now();
  try {
    makeFolder(folder);
    removeAbandoned(folder, context.note);
    removeUnfinished(path, context.note);
    if (hasContents(path) && !options.replace) {
      throw new Refusal(
        `${path} contains a database. To replace it, add --replace; its files are kept under other names.`,
      );
    }
    const found = await findBackup(context, folder, options);
    if (isSameFile(found.store.placeOf(found.name), path)) {
      throw new Refusal(`${path} is the database itself, not a backup.`);
    }
    return await putInPlace(context, { found, path, startedAt });
  } catch (error) {
    return rethrowFault(error, `Restoring ${path}`);
  }
}

function isSameFile(one: string, other: string): boolean {
  if (!existsSync(one) || !existsSync(other)) return false;
  const [left, right] = [statSync(one), statSync(other)];
  return left.ino === right.ino && left.dev === right.dev;
}

/** Whether replacing the file could lose something. */
function hasContents(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const connection = openReadOnly(path);
    try {
      return connection.prepare('select count(*) from sqlite_schema').pluck().get() !== 0;
    } finally {
      connection.close();
    }
  } catch {
    return true;
  }
}

interface Placing {
  readonly found: FoundBackup;
  readonly path: string;
  readonly startedAt: number;
}

async function putInPlace(context: OperatorContext, { found, path, startedAt }: Placing): Promise<Outcome> {
  // Refuses early if a server is running, and keeps other processes out until the end.
  const old = takeDatabase(path, startedAt);
  const workFile = createWorkFile(dirname(path), found.name);
  let events: StagedEvents | undefined;
  try {
    const before = old.readEnvironments();
    const described = await stageBackup(context, found, workFile);
    events = await stageEvents(context, found, startedAt);
    // Between the two steps, the files are of different ages, as after a restore of one of them.
    const keptEvents = (await events?.putInPlace()) ?? [];
    const kept = [...(await old.replaceBy(workFile)), ...keptEvents];
    const tookMs = context.now() - startedAt;
    const { eventsUrl } = context;
    return reportRestore({ found, path, eventsUrl, events: events?.path, before, described, kept, tookMs });
  } finally {
    removeWorkFile(workFile);
    events?.release();
    old.release();
  }
}

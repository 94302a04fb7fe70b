import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { sqliteFileOf } from '../../storage/database-url.ts';
import { eventMigrationsOf } from '../../storage/events/open-events.ts';
import { readMigrationState } from '../../storage/migration-state.ts';
import { queryOver } from '../../storage/sqlite.ts';
import { openReadOnly } from '../../storage/sqlite-file.ts';
import { eventsNameOf } from '../backup/backup-names.ts';
import { checkIntegrity } from '../check/check-schema.ts';
import { type OperatorContext, Refusal } from '../command.ts';
import { makeFolder } from '../files.ts';
import { createWorkFile, removeAbandoned, removeWorkFile } from '../work-file.ts';
import type { FoundBackup } from './find-backup.ts';
import { removeUnfinished, takeDatabase } from './replace-database.ts';
import { requireDigest } from './stage.ts';

/** The verified events of a backup, ready to replace those of the installation. */
export interface StagedEvents {
  readonly path: string;
  /** Returns the paths of the replaced files. */
  putInPlace(): Promise<readonly string[]>;
  release(): void;
}

/**
 * Copies the events of a backup into a work file and verifies it, and keeps other processes out of the present file.
 * Undefined if the backup has no events, or if those of the installation are not in a file: then they stay as they are.
 */
export async function stageEvents(
  context: OperatorContext,
  { store, name, manifest }: FoundBackup,
  startedAt: number,
): Promise<StagedEvents | undefined> {
  const eventsName = eventsNameOf(name);
  const expected = manifest?.files.find((file) => file.name === eventsName) ?? manifest?.files[1];
  const isPresent = await store.has(eventsName);
  if (expected !== undefined && !isPresent) {
    throw new Refusal(
      `${store.placeOf(eventsName)} is missing: the backup is incomplete. Use another backup.`,
    );
  }
  const named = sqliteFileOf(context.eventsUrl);
  if (!isPresent || named === undefined) return undefined;
  const path = existsSync(named) ? realpathSync(named) : named;
  const folder = dirname(path);
  makeFolder(folder);
  removeAbandoned(folder, context.note);
  removeUnfinished(path, context.note);
  const old = takeDatabase(path, startedAt);
  const workFile = createWorkFile(folder, eventsName);
  const release = (): void => {
    removeWorkFile(workFile);
    old.release();
  };
  try {
    await store.fetch(eventsName, workFile);
    await requireDigest(store.placeOf(eventsName), workFile, expected);
    await verify(store.placeOf(eventsName), workFile);
  } catch (error) {
    release();
    throw error;
  }
  return { path, putInPlace: () => old.replaceBy(workFile), release };
}

async function verify(place: string, workFile: string): Promise<void> {
  const connection = openReadOnly(workFile);
  try {
    const { status, details = [] } = checkIntegrity(connection, 'integrity_check');
    if (status !== 'ok') throw new Refusal(`${place} is damaged: ${details[0]}. Use another backup.`);
    const { applied, barring } = await readMigrationState(
      queryOver(connection),
      eventMigrationsOf('sqlite:'),
    );
    if (applied.length === 0) throw new Refusal(`${place} does not contain the tables of events.`);
    if (barring.length === 0) return;
    throw new Refusal(
      `A newer version of flagsvc made ${place} (${barring.join(', ')}). Restore it with that version or a later one.`,
    );
  } finally {
    connection.close();
  }
}

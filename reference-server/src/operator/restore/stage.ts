import Sqlite from 'better-sqlite3';
import { newEpoch } from '../../storage/ids.ts';
import { queryOver } from '../../storage/sqlite.ts';
import { openReadOnly } from '../../storage/sqlite-file.ts';
import { type Described, describeDatabase } from '../backup/describe.ts';
import { checkForeignKeys, checkIntegrity } from '../check/check-schema.ts';
import { checkSecrets } from '../check/check-secrets.ts';
import { type OperatorContext, Refusal } from '../command.ts';
import { type Digest, digestOfFile, isSameDigest } from '../files.ts';
import { readMigrations } from '../tables/migrations.ts';
import type { FoundBackup } from './find-backup.ts';

/**
 * Copies a backup into a work file and verifies the copy: hash, integrity, references, schema and secrets. Gives every
 * ruleset in it a new epoch. Throws Refusal if anything is wrong.
 */
export async function stageBackup(
  context: OperatorContext,
  { store, name, manifest }: FoundBackup,
  workFile: string,
): Promise<Described> {
  const place = store.placeOf(name);
  await store.fetch(name, workFile);
  await requireDigest(
    place,
    workFile,
    manifest?.files.find((file) => file.name === name) ?? manifest?.files[0],
  );
  const described = await verify(context, place, workFile);
  renewEpochs(workFile);
  return described;
}

/** Throws Refusal unless a file is the one that the manifest describes; accepts any file without a manifest. */
export async function requireDigest(place: string, workFile: string, expected?: Digest): Promise<void> {
  if (expected === undefined) return;
  const digest = await digestOfFile(workFile);
  if (digest.bytes < expected.bytes) {
    throw new Refusal(
      `${place} is truncated: it has ${digest.bytes} of ${expected.bytes} bytes. Use another backup.`,
    );
  }
  if (!isSameDigest(digest, expected)) {
    throw new Refusal(
      `${place} was changed after the backup was made: its hash differs. Use another backup.`,
    );
  }
}

async function verify(context: OperatorContext, place: string, workFile: string): Promise<Described> {
  const connection = openReadOnly(workFile);
  try {
    for (const { status, details = [] } of [
      checkIntegrity(connection, 'integrity_check'),
      checkForeignKeys(connection),
    ]) {
      if (status !== 'ok') throw new Refusal(`${place} is damaged: ${details[0]}. Use another backup.`);
    }
    const described = await describeDatabase(connection);
    const db = queryOver(connection);
    const { barring } = await readMigrations(db);
    if (barring.length > 0) {
      throw new Refusal(
        `A newer version of flagsvc made ${place} (${barring.join(', ')}). Restore it with that version or a later one.`,
      );
    }
    const { status, message } = await checkSecrets(db, context);
    if (status === 'failed') throw new Refusal(`${place}: ${message}.`);
    return described;
  } finally {
    connection.close();
  }
}

/**
 * Gives every ruleset a new epoch: version numbers continue from those in the backup, and clients must not mistake a
 * repeated number for the ruleset that had it before.
 */
function renewEpochs(workFile: string): void {
  const connection = new Sqlite(workFile, { fileMustExist: true });
  try {
    connection.pragma('synchronous = FULL');
    const ids = connection.prepare('select environment_id from rulesets').pluck().all();
    const update = connection.prepare('update rulesets set epoch = ? where environment_id = ?');
    connection.transaction(() => {
      for (const id of ids) update.run(newEpoch(), id);
    })();
  } finally {
    connection.close();
  }
}
